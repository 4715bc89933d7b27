/** What `trawl/client` exports beside the functions that connect; the same on every platform. */
export type { HostDescription, HostEntry } from '../../protocol/rpc/describe.ts'
export { type ErrorCode, type ErrorDetails, TrawlError } from '../../protocol/rpc/errors.ts'
export type { DeviceKind, DeviceRight } from '../../protocol/rpc/rights.ts'
export type { Hit } from '../../protocol/session-search/hit.ts'
export type { ReadSessionResponse } from '../../protocol/session-search/read-session.ts'
export type { LegReport } from '../../protocol/session-search/response.ts'
export type { SearchStatus } from '../../protocol/session-search/status.ts'
export type { PartialAnswer, SearchAnswer } from './answers.ts'
export type { ClosedState, CloseReason, LinkState } from './carrier.ts'
export type { PairOptions } from './pair-client.ts'
export type {
  CallOptions,
  GatewayMethod,
  ParamsOf,
  ReadSessionRequest,
  ResultOf,
  SearchRequest,
  TrawlClient,
} from './trawl-client.ts'
