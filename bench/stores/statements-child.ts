/**
 * A child that sends the same statements with canned replies and in the simulator. Every round
 * measures both.
 */
import { fileURLToPath } from 'node:url'
import type { Plan } from '../../src/contract/api/plan.ts'
import { loadImplementation } from '../../src/sim/adapters/load-implementation.ts'
import { runWorld } from '../../src/sim/world.ts'
import { cpuMsOf } from '../checkout/cpu-time.ts'
import { answerParent } from '../children.ts'
import { UnequalError } from '../contenders/contender.ts'
import type { RatePlan } from '../layer-rates.ts'
import { onePlanScenario } from '../one-plan-scenario.ts'
import { spreadOf } from '../spread.ts'
import { openCannedPostgres } from './canned-postgres.ts'
import type { StatementRates } from './store-rates.ts'
import { statements } from './upserts.ts'

const plan: Plan = {
  consumers: 1,
  messages: [{ key: 'order-1', payload: {}, publishAtMs: 0 }],
  ...{ leaseMs: 10_000, retentionMs: 10_000, visibilityMs: 10_000, redeliveryMs: 10_000 },
  ...{ maxAttempts: 5, effectMs: 1, effectTimeoutMs: 10_000, faults: [] },
}

const scenario = onePlanScenario('statements', 'One message that costs many statements.', plan)

async function openSimulated(): Promise<() => Promise<void>> {
  const implementation = await loadImplementation(fileURLToPath(new URL('./many-statements.ts', import.meta.url)))
  return async () => {
    const { history, unsupported } = await runWorld({
      ...{ scenario, implementation, sink: 'plain', plan, choices: { seed: 1 }, record: false },
    })
    const isDone = history.events.some((event) => event.type === 'settled' && event.as === 'done')
    if (!isDone || unsupported.length > 0) throw new UnequalError('many-statements: the run is not whole')
  }
}

answerParent(
  async ({ rounds, quick }: RatePlan): Promise<StatementRates> => {
    const runs = quick ? 1 : 10
    const both = [await openCannedPostgres(), await openSimulated()] as const
    const rates: [canned: number, simulated: number][] = []
    // The first round is not counted, because it includes compilation.
    for (let round = 0; round <= rounds; round++) {
      const found: number[] = []
      for (const play of both) {
        const { cpuMs } = await cpuMsOf(async () => {
          for (let run = 0; run < runs; run++) await play()
        })
        found.push((runs * statements * 1000) / cpuMs)
      }
      if (round > 0) rates.push([found[0]!, found[1]!])
    }
    return {
      canned: spreadOf(rates.map(([canned]) => canned)),
      simulated: spreadOf(rates.map(([, simulated]) => simulated)),
      share: spreadOf(rates.map(([canned, simulated]) => simulated / canned)),
    }
  },
  async () => {},
)
