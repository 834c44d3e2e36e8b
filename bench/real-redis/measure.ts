/** Measures a real Redis alone: the latency of its commands, and the memory of records. */
import path from 'node:path'
import { Redis } from 'ioredis'
import { findProgram, startRedis } from 'test-servers'
import { here } from '../compiled.ts'
import { atOnce, type Latency, latencyOf, timesOf } from '../latencies.ts'
import { openCommands } from './commands.ts'
import { type Encoding, encodings, lengthsOf, recordOf } from './records.ts'

export interface RealRedisResults {
  readonly redis: string
  /** The allocator, which determines the size of a record in memory. */
  readonly allocator: string
  readonly commands: readonly {
    readonly name: string
    readonly roundTrips: number
    readonly times: readonly Latency[]
  }[]
  readonly records: readonly RecordCost[]
}

export interface RecordCost {
  readonly name: string
  readonly keeps: Encoding['keeps']
  readonly keyBytes: number
  readonly valueBytes: number
  readonly keys: number
  /**
   * The growth of `used_memory` for each key, which includes records and the tables of keys and
   * expiries.
   */
  readonly bytesAKey: number
}

interface Plan {
  readonly rounds: number
  readonly quick: boolean
  readonly print: (line: string) => void
}

/** The path of the layer, because layers are loaded by path and never imported. */
const article001 = path.join(here, 'implementations', 'articles', '001-lua-server-time.ts')

export async function measureRealRedis(plan: Plan): Promise<RealRedisResults> {
  const server = await startRedis(findProgram('redis-server')!)
  const redis = new Redis({ host: '127.0.0.1', port: server.port })
  try {
    const { acquireScript } = (await import(article001)) as { acquireScript: string }
    const info = await redis.info()
    return {
      redis: fieldOf(info, 'redis_version'),
      allocator: fieldOf(info, 'mem_allocator'),
      commands: await latencies(server.port, acquireScript, redis, plan),
      records: await recordCosts(redis, plan),
    }
  } finally {
    redis.disconnect()
    await server.stop()
  }
}

/**
 * Measures all commands in every round, so that a busy moment of the machine affects all of them.
 */
async function latencies(port: number, lua: string, redis: Redis, { rounds, quick, print }: Plan) {
  const commands = openCommands(port, lua, Math.max(...atOnce))
  const count = quick ? 200 : 5000
  const found = commands.map(() => new Map<number, number[][]>())
  try {
    // Warms up: handshakes and compilation must not be part of a round.
    for (const [at, { run }] of commands.entries()) await timesOf((n, lane) => run(`warm-${at}-${n}`, lane), 200, 64)
    for (let round = 0; round < rounds; round++) {
      print(`redis: round ${round + 1} of ${rounds}`)
      for (const width of atOnce)
        for (const [at, { run }] of commands.entries()) {
          const times = await timesOf((n, lane) => run(`${at}-${round}-${width}-${n}`, lane), count, width)
          found[at]!.set(width, [...(found[at]!.get(width) ?? []), times])
        }
      await redis.flushall()
    }
  } finally {
    for (const { close } of commands) close()
  }
  return commands.map(({ name, roundTrips }, at) => ({
    name,
    roundTrips,
    times: [...found[at]!].map(([width, all]) => latencyOf(width, all)),
  }))
}

/** Measures each encoding alone, and the article's JSON also with five times as many records. */
async function recordCosts(redis: Redis, { quick, print }: Plan): Promise<RecordCost[]> {
  const few = quick ? 2000 : 200_000
  const asked = [...encodings.map((encoding) => [encoding, few] as const), [encodings[0]!, few * 5] as const]
  const costs: RecordCost[] = []
  for (const [encoding, keys] of asked) {
    print(`redis: ${keys} records: ${encoding.name}`)
    await redis.flushall('SYNC')
    const before = await usedMemory(redis)
    await write(redis, encoding, keys)
    const bytesAKey = ((await usedMemory(redis)) - before) / keys
    costs.push({ name: encoding.name, keeps: encoding.keeps, ...lengthsOf(encoding), keys, bytesAKey })
  }
  await redis.flushall()
  return costs
}

const daySeconds = 86_400
const batch = 1000

/**
 * Writes the records with the article's lifetime of a day.
 * @throws if a record was not written
 */
async function write(redis: Redis, { key, value }: Encoding, keys: number): Promise<void> {
  for (let from = 0; from < keys; from += batch) {
    const pipeline = redis.pipeline()
    for (let n = from; n < Math.min(from + batch, keys); n++) {
      const record = recordOf(n)
      const kept = value(record)
      if (Buffer.isBuffer(kept)) pipeline.set(key(record), kept, 'EX', daySeconds)
      else pipeline.hset(key(record), kept).expire(key(record), daySeconds)
    }
    await pipeline.exec()
  }
  const written = await redis.dbsize()
  if (written !== keys) throw new Error(`${written} of ${keys} records were written`)
}

/**
 * Returns `used_memory`, which Redis compares with `maxmemory`. When it is called, the table of
 * keys has finished resizing.
 */
async function usedMemory(redis: Redis): Promise<number> {
  return Number(fieldOf(await redis.info('memory'), 'used_memory'))
}

function fieldOf(info: string, name: string): string {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)![1]!
}
