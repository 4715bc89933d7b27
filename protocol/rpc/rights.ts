/** What a paired client is, and what it may do beyond asking which hosts there are. The owner names it when confirming. */

export const deviceKinds = ['web', 'mobile', 'other'] as const
export type DeviceKind = (typeof deviceKinds)[number]

export const deviceRights = ['search', 'read', 'files'] as const
export type DeviceRight = (typeof deviceRights)[number]
