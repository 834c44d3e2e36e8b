/** redlock 4 has no types of its own, and those of redlock 5 cannot be found by its `exports`: as much of both as is used. */
declare module 'redlock4' {
  import type { Redis } from 'ioredis'

  export default class Redlock {
    constructor(clients: readonly Redis[])
    lock(resource: string, ttlMs: number): PromiseLike<{ unlock(): Promise<void> }>
  }
}

declare module 'redlock5' {
  import type { Redis } from 'ioredis'

  export default class Redlock {
    constructor(clients: readonly Redis[])
    on(event: 'error', heard: (error: Error) => void): unknown
    using<T>(
      resources: string[],
      durationMs: number,
      routine: (signal: AbortSignal & { error?: Error }) => Promise<T>,
    ): Promise<T>
  }
}
