import type { Session } from '../session.ts'

export type TrackingMode = 'bcast' | 'optin' | 'optout' | 'noloop'

/** What CLIENT TRACKING made of one client. */
export class TrackedClient {
  /** The id of the client that hears of it instead; 0: none. */
  redirect = 0
  /** That client was gone when there was something to tell it. */
  broken = false
  modes: ReadonlySet<TrackingMode> = new Set()
  readonly prefixes = new Set<string>()
  /** CLIENT CACHING came just before. */
  caching = false

  constructor(readonly session: Session) {}

  has(mode: TrackingMode): boolean {
    return this.modes.has(mode)
  }

  /** Whether what the client reads now is remembered. */
  get remembers(): boolean {
    if (this.has('bcast')) return false
    return this.has('optin') ? this.caching : !(this.has('optout') && this.caching)
  }
}
