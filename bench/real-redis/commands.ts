/** The commands of the articles' patterns, a script and transactions, as ioredis sends them. */
import { Redis } from 'ioredis'

export interface Asking {
  readonly name: string
  /** How many times the operation waits for Redis. */
  readonly roundTrips: number
  /**
   * Executes the operation once. `key`: never used before. `lane`: the number of the concurrent
   * worker.
   */
  run(key: string, lane: number): Promise<unknown>
  close(): void
}

const recordSeconds = 86_400
const lockSeconds = 3600
const staleAfterMs = 300_000
/** A value of the same length as a record of article 001. */
const value = 'x'.repeat(130)

/**
 * `lua`: article 001's script that acquires a key. `lanes`: the number of concurrent workers,
 * because WATCH needs a separate connection for each.
 */
export function openCommands(port: number, lua: string, lanes: number): Asking[] {
  const client = new Redis({ host: '127.0.0.1', port, scripts: { acquire: { numberOfKeys: 1, lua } } })
  const { acquire } = client as unknown as { acquire(key: string, ...given: unknown[]): Promise<string> }
  const take = (key: string) => acquire.call(client, key, 'consumer-1', staleAfterMs, lockSeconds)
  const watchers = Array.from({ length: lanes }, () => client.duplicate())
  const close = () => client.disconnect()
  return [
    { name: 'GET', roundTrips: 1, run: (key) => client.get(key), close },
    { name: 'SET NX EX', roundTrips: 1, run: (key) => client.set(key, value, 'EX', recordSeconds, 'NX'), close },
    {
      name: 'GET, then SET EX',
      roundTrips: 2,
      async run(key) {
        await client.get(key)
        await client.set(key, value, 'EX', recordSeconds)
      },
      close,
    },
    {
      name: 'EVALSHA: a key is taken',
      roundTrips: 1,
      run: async (key) => expectReply(await take(key), 'acquired'),
      close,
    },
    {
      name: 'EVALSHA: a key is held',
      roundTrips: 1,
      run: async () => expectReply(await take('held'), ['acquired', 'held']),
      close,
    },
    {
      name: 'MULTI, GET, SET EX, EXEC',
      roundTrips: 1,
      run: (key) => client.multi().get(key).set(key, value, 'EX', recordSeconds).exec(),
      close,
    },
    {
      name: 'WATCH; GET; MULTI, SET EX, EXEC',
      roundTrips: 3,
      async run(key, lane) {
        const connection = watchers[lane]!
        await connection.watch(key)
        await connection.get(key)
        expectReply(await connection.multi().set(key, value, 'EX', recordSeconds).exec(), [[[null, 'OK']]])
      },
      close() {
        for (const connection of watchers) connection.disconnect()
      },
    },
  ]
}

/**
 * Checks the reply, so that a command that failed is not measured.
 * @throws Error for another reply
 */
function expectReply(reply: unknown, expected: unknown): void {
  const all = (Array.isArray(expected) ? expected : [expected]).map((one) => JSON.stringify(one))
  if (!all.includes(JSON.stringify(reply))) throw new Error(`Redis answered ${JSON.stringify(reply)}`)
}
