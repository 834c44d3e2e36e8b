/** A link through a proxy: a separate listener on this machine that leads to one address. */
import type { FlowDirection } from '../../run/actions.ts'
import type { LiveLink } from '../host/link.ts'

/** A connection through a link. */
export interface ProxiedConnection {
  /** The local port of the consumer's process. */
  readonly from: number
  /** The local port of the proxy's connection to the node; 0 before the node has accepted it. */
  readonly to: number
  /** Like `resetNext` of a link, but only for this connection. */
  resetNext(direction: FlowDirection): Promise<() => Promise<void>>
  /**
   * Loses everything in that direction that is in flight or sent from now on, including an end or a
   * reset. Neither side gets an error.
   */
  forget(direction: FlowDirection): void
}

export interface ProxiedLink extends LiveLink {
  /** The link's port on 127.0.0.1. */
  readonly port: number
  /**
   * Swallows the next bytes in that direction and resets their connection. Applies to each
   * connection until the returned function undoes it.
   */
  resetNext(direction: FlowDirection): Promise<() => Promise<void>>
  /**
   * The open connections. Absent if conditions apply to all connections of the link, including
   * later ones.
   */
  readonly connections?: readonly ProxiedConnection[]
  /**
   * Holds back the end of each connection from the node until `until` settles. Absent if that is
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
  /** Closes the link. When this resolves, nothing listens and no connection is open. */
  close(): Promise<void>
}
