/** redlock 4 has no types, and `exports` hides redlock 5's: the parts used here. */
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
