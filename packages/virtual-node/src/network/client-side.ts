import type { VirtualProcess } from '../runtime/process.ts'

/** The far end of a connection, as the server that accepted it holds it. */
export interface ClientSide {
  /** Whose it is; null for a machine of the deployment itself: a replica, a Sentinel. */
  readonly process: VirtualProcess | null
  readonly local: { readonly address: string; readonly port: number }
  /** When the client closed its end, on the world's clock; null where it has not. */
  readonly hungUpUs: number | null
  /** The server sends; `label` names the command that is answered. */
  reply(bytes: string, label: string | null): void
  /**
   * The server says what answers no command: in one write with what else it says here in this turn
   * of its event loop.
   */
  announce(bytes: string): void
  /** A message as it is, to another machine. */
  report?(message: object): void
  /**
   * Hands over what the client has had before; false where it must go over the network. Absent: it
   * always must.
   */
  repeat?(message: object): boolean
  /** The server closes in order. */
  serverClose(): void
  /** The connection breaks for both ends at once; what was under way is lost. */
  break(code: 'ECONNRESET'): void
}

/** The server's end: what a node learns of a connection. */
export interface ServerEnd {
  received(bytes: string): void
  /** A message as it is, from another machine. */
  heard?(message: object): void
  /**
   * What another machine may talk to without the network; null while its own machine stands still.
   */
  far?(): object | null
  /**
   * The client closed or reset it, or it broke. `ends` is called as the server closes its own end,
   * too: not while it stands still.
   */
  closed(ends?: () => void): void
  /** The connection was forgotten on its way: keep-alive probes of a server would find that out. */
  forgotten?(): void
}

/** What a node listening on an address offers. */
export interface Listener {
  /** Null refuses (nobody listens; the node is down). */
  accept(client: ClientSide): ServerEnd | null
}
