/** Campaigns of one layer in the simulator, which explore first. */
import { runCampaign } from '../../../src/campaign/conduct/campaign.ts'
import { inlineExecutor } from '../../../src/campaign/conduct/inline-executor.ts'
import type { NamedViolation } from '../../../src/campaign/play/campaign-request.ts'
import type { Executor } from '../../../src/campaign/play/executor.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { selectPairs } from '../../../src/cli/select.ts'
import { fakeContext } from '../fake-deps.ts'

export interface Wanted {
  readonly layer: string
  readonly scenario?: string
  readonly runs: number
  /** Absent: this thread plays. */
  readonly executor?: Executor
  /** Receives the first violation, also of a campaign that ends with an error. */
  readonly first?: NamedViolation[]
}

const newDeps = () => createDeps(() => false)
/** All runs of this thread take turns. */
const turns = oneAtATime()

/** Plays in this thread. */
export const alone = (): Executor => inlineExecutor(newDeps(), turns)

export async function campaign({ layer, scenario = 'everything', runs, executor = alone(), first = [] }: Wanted) {
  const deps = newDeps()
  const [choice] = await selectPairs({ implementations: [layer], scenarios: [scenario], sink: 'plain' }, [], deps)
  const outcome = await runCampaign(
    {
      pairs: [{ choice: choice!, bound: { runs } }],
      ...{ control: null, layers: 'must-hold', seed: 1, bail: false, cheaper: [], reports: 'reports' },
      ...{ explain: { layer: 2_000, path: 1_000, checks: 0 }, exploresFirst: true },
    },
    fakeContext(deps, { executor, alone: turns, firstViolation: (violation) => void first.push(violation) }),
  )
  return { ...outcome, first }
}
