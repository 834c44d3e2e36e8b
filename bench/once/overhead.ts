/**
 * Measures the cost of guarding an effect on a real Redis: time, round trips, and memory for each
 * key.
 */
import { Redis } from 'ioredis'
import { findProgram, startRedis } from 'test-servers'
import { atOnce, type Latency, latencyOf, timesOf } from '../latencies.ts'
import { type Guard, type GuardName, guardNames, openGuard } from './guards.ts'

export interface GuardCost {
  readonly name: GuardName
  /** The latency of one effect. */
  readonly times: readonly Latency[]
  readonly roundTrips: number
  readonly bytesAKey: number
}

interface Plan {
  readonly rounds: number
  readonly quick: boolean
  readonly print: (line: string) => void
}

/** Measures all guards in every round, so that a busy moment of the machine affects all of them. */
export async function measureGuards({ rounds, quick, print }: Plan): Promise<GuardCost[]> {
  const server = await startRedis(findProgram('redis-server')!)
  const redis = new Redis({ host: '127.0.0.1', port: server.port })
  const opened: [GuardName, Guard][] = []
  const effects = quick ? 200 : 5000
  try {
    for (const name of guardNames) opened.push([name, await openGuard[name](server.port)])
    const found = new Map(opened.map(([name]) => [name, new Map<number, number[][]>()]))
    for (let round = 0; round < rounds; round++) {
      print(`once: round ${round + 1} of ${rounds}`)
      for (const width of atOnce) {
        for (const [name, guard] of opened) {
          const of = found.get(name)!
          const times = await timesOf((n) => guard.run(`order-${round}-${width}-${n}`), effects, width)
          of.set(width, [...(of.get(width) ?? []), times])
        }
      }
    }
    const costs: GuardCost[] = []
    for (const [name, guard] of opened) {
      const times = [...found.get(name)!].map(([width, all]) => latencyOf(width, all))
      costs.push({ name, times, ...(await footprintOf(guard, redis, effects)) })
    }
    return costs
  } finally {
    for (const [, guard] of opened) await guard.close()
    redis.disconnect()
    await server.stop()
  }
}

async function footprintOf(guard: Guard, redis: Redis, effects: number) {
  const before = { calls: await callsOf(redis), bytes: await bytesOf(redis) }
  for (let effect = 0; effect < effects; effect++) await guard.run(`order-footprint-${effect}`)
  const calls = (await callsOf(redis)) - before.calls
  const bytes = (await bytesOf(redis)) - before.bytes
  return { roundTrips: calls / effects, bytesAKey: bytes / effects }
}

/**
 * Returns the number of commands that guards have sent. Commands that scripts call are excluded,
 * because the scripts of `onceproof/once` call no SET, GET or DEL.
 */
async function callsOf(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats')
  const sent = [...stats.matchAll(/^cmdstat_(?:evalsha|eval|set|get|del):calls=(\d+)/gm)]
  return sent.reduce((total, [, calls]) => total + Number(calls), 0)
}

async function bytesOf(redis: Redis): Promise<number> {
  return Number(/^used_memory_dataset:(\d+)/m.exec(await redis.info('memory'))![1])
}
