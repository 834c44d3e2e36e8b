import type { VirtualProcess } from '../runtime/process.ts'

/** The far end of a connection, as the server that accepted it sees it. */
export interface ClientSide {
  /** The client's process; null for a machine of the deployment itself: a replica, a Sentinel. */
  readonly process: VirtualProcess | null
  readonly local: { readonly address: string; readonly port: number }
  /** When the client closed its end, on the world's clock; null if it has not. */
  readonly hungUpUs: number | null
  /** The server sends; `label` names the answered command. */
  reply(bytes: string, label: string | null): void
  /**
   * The server sends something that answers no command. This output goes into one write with the
   * other output of the same turn of the server's event loop on this connection.
   */
  announce(bytes: string): void
  /** Sends a message object to another machine. */
  report?(message: object): void
  /**
   * Delivers a message that the client has received before, without the network. Returns false if
   * the message must go over the network. Without this method, every message must.
   */
  repeat?(message: object): boolean
  /** The server closes the connection in order. */
  serverClose(): void
  /** The connection breaks for both ends at once; data in flight are lost. */
  break(code: 'ECONNRESET'): void
}

/** The server's end of a connection. */
export interface ServerEnd {
  received(bytes: string): void
  /** A message object from another machine. */
  heard?(message: object): void
  /**
   * The object that another machine may call without the network; null while the server's machine
   * stalls.
   */
  far?(): object | null
  /**
   * The client closed or reset the connection, or the connection broke. The server calls `ends`
   * when it closes its end too. A stalled server does not call `ends`.
   */
  closed(ends?: () => void): void
  /** The connection was forgotten on its way. The server's keep-alive probes would detect that. */
  forgotten?(): void
}

/** A server that listens on an address. */
export interface Listener {
  /** Null refuses the connection (not listening, or down). */
  accept(client: ClientSide): ServerEnd | null
}
