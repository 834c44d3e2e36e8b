import type { Session } from '../session.ts'

export type TrackingMode = 'bcast' | 'optin' | 'optout' | 'noloop'

/** The CLIENT TRACKING state of one client. */
export class TrackedClient {
  /**
   * Id of the client that receives the invalidations instead of this client; 0 if they are not
   * redirected.
   */
  redirect = 0
  /**
   * True if the client of `redirect` was disconnected when it should have received an invalidation.
   */
  broken = false
  modes: ReadonlySet<TrackingMode> = new Set()
  readonly prefixes = new Set<string>()
  /** True for the next command after CLIENT CACHING. */
  caching = false

  constructor(readonly session: Session) {}

  has(mode: TrackingMode): boolean {
    return this.modes.has(mode)
  }

  /** True if the keys that the current command reads are remembered. */
  get remembers(): boolean {
    if (this.has('bcast')) return false
    return this.has('optin') ? this.caching : !(this.has('optout') && this.caching)
  }
}
