/** The process's end of a connection: called by the network, in turns of the process. */
export interface Endpoint {
  connected(local: { address: string; port: number }): void
  /** `code` as in Node: ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH. */
  connectFailed(code: string): void
  /** Bytes as a latin1 string. */
  received(bytes: string): void
  /** The peer closed its side in order (FIN). */
  ended(): void
  /** The connection broke: ECONNRESET, EPIPE, ETIMEDOUT. */
  broken(code: string): void
}

/** The operations of a process on a connection. */
export interface ByteStream {
  /**
   * Bytes as a latin1 string; order is kept. Returns the code of the error with which the write
   * fails at once, or null.
   */
  send(bytes: string): string | null
  /**
   * Ends this direction (FIN). Returns false if the connection is gone, so that the caller need not
   * wait.
   */
  finish(): boolean
  /**
   * SO_KEEPALIVE: gives up a silent peer after this time. Null: never. The method is absent if the
   * connection is never forgotten on its way.
   */
  keepAlive?(giveUpUs: number | null): void
  /** Closes without lingering; `reset` sends RST instead of FIN. Nothing is received any more. */
  close(reset: boolean): void
}

export interface Address {
  readonly address: string
  readonly port: number
}

/** Takes a connection that a server socket accepted; called in a turn of the listening process. */
export type Acceptor = (stream: ByteStream, local: Address, remote: Address) => Endpoint

/** A listening socket. */
export interface ServerSocket extends Address {
  /** Refuses new connections, and resets those that wait to be accepted. */
  close(): void
}

/** Why a process cannot listen on an address, as in Node. */
export type ListenFailure = 'EADDRINUSE' | 'EADDRNOTAVAIL'
