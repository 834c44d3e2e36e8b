/**
 * What the layer asks of its own client for one server, or for the primary that Sentinels name.
 * ioredis's `Redis` is one.
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
  /** At once: what is under way gets no answer. `reconnect`: and it dials again. */
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
  /** Where it asks who the primary is. */
  readonly sentinels?: readonly unknown[] | null | undefined
}

/** What holds for every connection, by ioredis's names; times in milliseconds. */
export interface ConnectionOptions {
  readonly lazyConnect?: boolean
  readonly connectTimeout?: number
  readonly commandTimeout?: number
  /** How long until it dials again after so many failures; null: never. */
  readonly retryStrategy?: (times: number) => number | null
}

/** One Sentinel, asked over a connection of its own. */
export interface SentinelClient {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
  /** Waits for the connection. */
  call(command: string, ...args: string[]): Promise<unknown>
  disconnect(): void
}
