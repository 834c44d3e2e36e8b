/**
 * The simulator as a contender: three processes with ioredis, a network with latencies, the broker,
 * the sink and the crash.
 */
import { fileURLToPath } from 'node:url'
import type { Plan } from '../../src/contract/api/plan.ts'
import { type LoadedImplementation, loadImplementation } from '../../src/sim/adapters/load-implementation.ts'
import { type RunResult, runWorld } from '../../src/sim/world.ts'
import { onePlanScenario } from '../one-plan-scenario.ts'
import {
  consumers,
  doomedConsumer,
  messages,
  problemOf,
  type RunEnd,
  retentionMs,
  virtualLeaseMs,
} from '../workload.ts'
import { type Contender, UnequalError } from './contender.ts'

const plan: Plan = {
  consumers,
  messages: messages.map(({ key, payload }) => ({ key, payload, publishAtMs: 0 })),
  leaseMs: virtualLeaseMs,
  retentionMs,
  visibilityMs: virtualLeaseMs,
  redeliveryMs: virtualLeaseMs,
  maxAttempts: 50,
  effectMs: 1,
  effectTimeoutMs: virtualLeaseMs,
  faults: [{ kind: 'crash', when: { at: 'effect-unsent', consumer: doomedConsumer, nth: 1 } }],
}

const scenario = onePlanScenario('bench', 'Three consumers, five messages, one crash.', plan)

/** The number of seeds that are drawn in advance. Runs cycle through them. */
const seedCount = 500

export async function openSimulator(): Promise<Contender> {
  const play = await openWorld()
  const seeds = await seedsWithCrash(play)
  let next = 0
  return {
    async run(runs) {
      let deliveries = 0
      for (let run = 0; run < runs; run++) {
        const end = endOf(await play(seeds[next++ % seeds.length]!))
        const problem = problemOf(end)
        if (problem !== null) throw new UnequalError(`the simulator: ${problem}`)
        deliveries += end.deliveries
      }
      return { deliveries, repeated: 0 }
    },
    close: async () => {},
  }
}

const layer = fileURLToPath(new URL('./simulated-layer.ts', import.meta.url))

/** Loads the layer once. Returns a function that plays the run of a seed. */
export async function openWorld(file = layer): Promise<(seed: number) => Promise<RunResult>> {
  const implementation: LoadedImplementation = await loadImplementation(file)
  return (seed) => runWorld({ scenario, implementation, sink: 'plain', plan, choices: { seed }, record: false })
}

/**
 * The broker chooses the consumer of each message, so in some runs the doomed consumer gets none
 * and survives. The workload must have exactly one crash, so seeds without a crash are left out
 * before the measurement.
 */
async function seedsWithCrash(play: (seed: number) => Promise<RunResult>): Promise<readonly number[]> {
  const seeds: number[] = []
  for (let seed = 1; seeds.length < seedCount; seed++) {
    if (seed > 2 * seedCount) throw new UnequalError('the simulator: the planned crash seldom strikes')
    if (endOf(await play(seed)).crashes === 1) seeds.push(seed)
  }
  return seeds
}

function endOf({ history }: RunResult): RunEnd {
  const effects: string[] = []
  const end = { effects, settled: 0, crashes: 0, deliveries: 0 }
  for (const event of history.events) {
    if (event.type === 'effect-applied') effects.push(event.key)
    else if (event.type === 'settled' && event.as === 'done') end.settled++
    else if (event.type === 'process-ended' && event.how === 'crashed') end.crashes++
    else if (event.type === 'delivered') end.deliveries++
  }
  return end
}
