/** A link through a proxy: a listener of its own on this machine, with one address behind it. */
import type { FlowDirection } from '../../run/actions.ts'
import type { LiveLink } from '../link.ts'

export interface ProxiedLink extends LiveLink {
  /** Where it listens, on 127.0.0.1. */
  readonly port: number
  /**
   * The next bytes that way are swallowed, and their connection is reset. It is so for each connection until it is taken
   * back by what this answers.
   */
  resetNext(direction: FlowDirection): Promise<() => Promise<void>>
  /** Closes every connection; the next one is taken. */
  cut(): Promise<void>
  /** Closes every connection and refuses new ones until `enable`, which listens on the same port. */
  disable(): Promise<void>
  enable(): Promise<void>
  /** Nothing listens, and no connection is open, when it resolves. */
  close(): Promise<void>
}
