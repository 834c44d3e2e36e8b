/**
 * The interface of the layer's own client for one server, or for the primary that Sentinels name.
 * ioredis's `Redis` implements it.
 */
export interface ServerClient {
  readonly isCluster: boolean
  /** `ready` while commands can be sent, and `end` when they never can again. */
  readonly status: string
  readonly options: ServerOptions
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'ready' | 'end', listener: () => void): unknown
  /** Resolves when it is ready. For a client that was made with `lazyConnect`. */
  connect(): Promise<unknown>
  /** Disconnects at once: commands in flight get no answer. `reconnect`: dials again. */
  disconnect(reconnect?: boolean): void
  duplicate(own: ConnectionOptions): ServerClient
  evalsha(sha: string, keyCount: number, ...keysAndArgs: (string | number)[]): Promise<unknown>
  eval(lua: string, keyCount: number, ...keysAndArgs: (string | number)[]): Promise<unknown>
  hget(key: string, field: string): Promise<string | null>
  info(section: string): Promise<string>
  wait(replicas: number, ms: number): Promise<number>
  cluster(subcommand: 'NODES'): Promise<unknown>
  scan(cursor: string, match: 'MATCH', pattern: string, count: 'COUNT', n: number): Promise<[string, string[]]>
}

export interface ServerOptions {
  readonly keyPrefix?: string | undefined
  /** The Sentinels that it asks for the primary. */
  readonly sentinels?: readonly unknown[] | null | undefined
}

/** Settings of every connection, with ioredis's names; times in milliseconds. */
export interface ConnectionOptions {
  readonly lazyConnect?: boolean
  readonly connectTimeout?: number
  readonly commandTimeout?: number
  /** Delay before the next dial after `times` failures, in ms; null: never. */
  readonly retryStrategy?: (times: number) => number | null
}

/** One Sentinel, on a separate connection. */
export interface SentinelClient {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
  /** Waits for the connection. */
  call(command: string, ...args: string[]): Promise<unknown>
  disconnect(): void
}
