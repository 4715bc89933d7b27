/** What a coding agent may be called. Without the schema library, so that the page can tell too. */

/** Agent names are open strings: a host may know agents this version does not. */
export const agentNamePattern = /^[a-z0-9][a-z0-9-]*$/
