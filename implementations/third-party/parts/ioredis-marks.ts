import type { Marks } from './once-under-lock.ts'

/** A client of any major version of ioredis. */
interface Client {
  get(name: string): Promise<string | null>
  set(name: string, value: string, unit: 'PX', expiryMs: number): Promise<unknown>
}

export function ioredisMarks(client: Client): Marks {
  return {
    get: (name) => client.get(name),
    set: (name, value, expiryMs) => client.set(name, value, 'PX', expiryMs),
  }
}
