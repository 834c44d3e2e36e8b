/** What guarding an effect costs on a real Redis: time, round trips, and memory for each key. */
import { Redis } from 'ioredis'
import { findProgram, startRedis } from 'test-servers'
import { median } from '../spread.ts'
import { type Guard, type GuardName, guardNames, openGuard } from './guards.ts'

export const atOnce = [1, 16, 64] as const

export interface GuardCost {
  readonly name: GuardName
  /** Of one effect in milliseconds, medians over the rounds, at so many at a time. */
  readonly times: readonly { readonly atOnce: number; readonly p50Ms: number; readonly p99Ms: number }[]
  readonly roundTrips: number
  readonly bytesAKey: number
}

interface Plan {
  readonly rounds: number
  readonly quick: boolean
  readonly print: (line: string) => void
}

/** Interleaved, so that a busy moment of the machine meets all of them. */
export async function measureGuards({ rounds, quick, print }: Plan): Promise<GuardCost[]> {
  const server = await startRedis(findProgram('redis-server')!)
  const redis = new Redis({ host: '127.0.0.1', port: server.port })
  const opened: [GuardName, Guard][] = []
  const effects = quick ? 200 : 5000
  try {
    for (const name of guardNames) opened.push([name, await openGuard[name](server.port)])
    const found = new Map(opened.map(([name]) => [name, new Map<number, { p50: number[]; p99: number[] }>()]))
    for (let round = 0; round < rounds; round++) {
      print(`once: round ${round + 1} of ${rounds}`)
      for (const width of atOnce) {
        for (const [name, guard] of opened) {
          const times = await timesOf(guard, effects, width, `${round}-${width}`)
          const of = found.get(name)!
          const { p50, p99 } = of.get(width) ?? { p50: [], p99: [] }
          of.set(width, { p50: [...p50, quantile(times, 0.5)], p99: [...p99, quantile(times, 0.99)] })
        }
      }
    }
    const costs: GuardCost[] = []
    for (const [name, guard] of opened) {
      const times = [...found.get(name)!].map(([width, { p50, p99 }]) => {
        return { atOnce: width, p50Ms: median(p50), p99Ms: median(p99) }
      })
      costs.push({ name, times, ...(await footprintOf(guard, redis, effects)) })
    }
    return costs
  } finally {
    for (const [, guard] of opened) await guard.close()
    redis.disconnect()
    await server.stop()
  }
}

async function timesOf(guard: Guard, effects: number, width: number, prefix: string): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const worker = async () => {
    while (next < effects) {
      const key = `order-${prefix}-${next++}`
      const sinceMs = performance.now()
      await guard.run(key)
      times.push(performance.now() - sinceMs)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return times.sort((a, b) => a - b)
}

async function footprintOf(guard: Guard, redis: Redis, effects: number) {
  const before = { calls: await callsOf(redis), bytes: await bytesOf(redis) }
  for (let effect = 0; effect < effects; effect++) await guard.run(`order-footprint-${effect}`)
  const calls = (await callsOf(redis)) - before.calls
  const bytes = (await bytesOf(redis)) - before.bytes
  return { roundTrips: calls / effects, bytesAKey: bytes / effects }
}

/** Commands that layers send: what scripts call in turn is not among them. */
async function callsOf(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats')
  const sent = [...stats.matchAll(/^cmdstat_(?:evalsha|eval|set|get|del):calls=(\d+)/gm)]
  return sent.reduce((total, [, calls]) => total + Number(calls), 0)
}

async function bytesOf(redis: Redis): Promise<number> {
  return Number(/^used_memory_dataset:(\d+)/m.exec(await redis.info('memory'))![1])
}

/** Of numbers in order. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
