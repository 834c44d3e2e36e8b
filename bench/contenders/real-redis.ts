/**
 * A local redis-server and real timers. The connections and the server outlive the runs, keys
 * contain the run's number, and effects take no time. A run waits only once, for the crashed
 * consumer's lease.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { findProgram, startRedis } from 'test-servers'
import type { LayerClient } from '../handler.ts'
import { consumers, problemOf, realLeaseMs } from '../workload.ts'
import { type Contender, UnequalError } from './contender.ts'
import { definedOnce, playRun } from './small-broker.ts'

/** If a larger share of runs is spoiled, stalls of the machine are not the cause. */
const mostRepeated = 0.2

export async function openRealRedis(): Promise<Contender> {
  const server = await startRedis(findProgram('redis-server')!)
  const clients = Array.from({ length: consumers }, () => new Redis({ host: '127.0.0.1', port: server.port }))
  const reused = clients.map((client) => definedOnce(client as unknown as LayerClient))
  await Promise.all(clients.map((client) => client.ping()))
  let played = 0
  const play = () =>
    playRun(reused, {
      leaseMs: realLeaseMs,
      prefix: `run-${played++}:`,
      send: (command) => command(),
      pause: (untilLeaseEnds) => sleep(untilLeaseEnds ? realLeaseMs : 1),
    })
  return {
    async run(runs) {
      let deliveries = 0
      let repeated = 0
      for (let run = 0; run < runs; ) {
        const end = await play()
        const problem = problemOf(end)
        if (problem === null) {
          deliveries += end.deliveries
          run++
        } else if (++repeated > 1 + runs * mostRepeated) throw new UnequalError(`the real server: ${problem}`)
      }
      return { deliveries, repeated }
    },
    async close() {
      for (const client of clients) client.disconnect()
      await server.stop()
    },
  }
}
