/** A link through a proxy: a separate listener on this machine, with one address behind it. */
import type { FlowDirection } from '../../run/actions.ts'
import type { LiveLink } from '../host/link.ts'

/** A connection through a link. */
export interface ProxiedConnection {
  /** The process's local port. */
  readonly from: number
  /** The proxy's local port of the connection to the node; 0 before the node has accepted it. */
  readonly to: number
  /** Like that of a link, but only for this connection. */
  resetNext(direction: FlowDirection): Promise<() => Promise<void>>
  /**
   * Loses everything in that direction that is in flight or sent from now on, including an end or a
   * reset. Neither side gets an error.
   */
  forget(direction: FlowDirection): void
}

export interface ProxiedLink extends LiveLink {
  /** Its port on 127.0.0.1. */
  readonly port: number
  /**
   * Swallows the next bytes in that direction and resets their connection. Applies to each
   * connection until the returned function undoes it.
   */
  resetNext(direction: FlowDirection): Promise<() => Promise<void>>
  /** The open connections. Absent if conditions apply to all connections, including later ones. */
  readonly connections?: readonly ProxiedConnection[]
  /**
   * Holds the end of each connection back from the node until `until` settles. Absent if that is
   * impossible.
   */
  holdEnds?(until: (connection: ProxiedConnection) => Promise<void>): void
  /** Closes every connection; new ones are accepted. */
  cut(): Promise<void>
  /**
   * Closes every connection and refuses new ones until `enable`, which listens on the same port.
   */
  disable(): Promise<void>
  enable(): Promise<void>
  /** When it resolves, nothing listens and no connection is open. */
  close(): Promise<void>
}
