/** The process's end of a connection: what the network tells it, each in a turn of the process. */
export interface Endpoint {
  connected(local: { address: string; port: number }): void
  /** `code` as Node names it: ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH. */
  connectFailed(code: string): void
  /** Bytes as a latin1 string. */
  received(bytes: string): void
  /** The peer closed its side in order (FIN). */
  ended(): void
  /** The connection broke: ECONNRESET, EPIPE, ETIMEDOUT. */
  broken(code: string): void
}

/** What the process does to a connection. */
export interface ByteStream {
  /**
   * Bytes as a latin1 string; order is kept. Answers the code of the error that the write fails
   * with at once, or null.
   */
  send(bytes: string): string | null
  /**
   * No more bytes will come from here (FIN). Answers false where the connection is gone, and
   * nothing has to be waited for.
   */
  finish(): boolean
  /**
   * SO_KEEPALIVE: a silent peer is given up after so long. Null: it is not. Absent: no such
   * connection is ever forgotten on its way.
   */
  keepAlive?(giveUpUs: number | null): void
  /** Close without lingering; `reset` sends RST rather than FIN. Nothing is received any more. */
  close(reset: boolean): void
}

export interface Address {
  readonly address: string
  readonly port: number
}

/**
 * Takes a connection that a server socket accepted; called in a turn of the process that listens.
 */
export type Acceptor = (stream: ByteStream, local: Address, remote: Address) => Endpoint

/** A socket that listens. */
export interface ServerSocket extends Address {
  /** Nobody connects any more; those who wait to be accepted are reset. */
  close(): void
}

/** Why a process cannot listen there, as Node names it. */
export type ListenFailure = 'EADDRINUSE' | 'EADDRNOTAVAIL'
