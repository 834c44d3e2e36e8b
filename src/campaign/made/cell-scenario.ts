/**
 * The scenario of one cell of a configuration search. The scenario has no file: workers and tokens
 * identify it by its name, which begins with `frontier`, the former name of the search.
 */
import { defineScenario, type Scenario } from '../../contract/api/scenario.ts'
import type { BuiltInName } from '../../contract/api/verdict.ts'
import { plansOf } from '../../sim/plans/workload.ts'
import { type Configuration, configurations, drawRedis } from './configuration.ts'
import { type Loss, losses } from './loss.ts'

/**
 * The invariants about repeated effects and lost or postponed messages. `matrix` checks the
 * invariants that do not depend on Redis.
 */
const invariants: readonly BuiltInName[] = [
  'at-most-once',
  'no-lost-message',
  'no-needless-park',
  'no-false-done',
  'bounded-stall',
]

/**
 * Layers may take as long as they declare, because a configuration search does not judge how long a
 * layer waits.
 */
const recoveryCapMs = 600_000

const pattern = /^frontier\/([\w-]+)\/([\w-]+)$/

/** The name of a cell's scenario, such as `frontier/sentinel/cut-off`. */
export function cellName(configuration: Pick<Configuration, 'id'>, loss: Pick<Loss, 'id'>): string {
  return `frontier/${configuration.id}/${loss.id}`
}

/**
 * True if the text has the form of a cell name. No file and no id of the catalogue has this form.
 */
export function isCellName(name: string): boolean {
  return pattern.test(name)
}

/** The names of all cells. */
export function cellNames(): string[] {
  return configurations.flatMap((configuration) =>
    losses.filter((loss) => loss.notOn(configuration) === null).map((loss) => cellName(configuration, loss)),
  )
}

/** The scenario of a cell; null if there is no such cell. */
export function cellScenario(name: string): Scenario | null {
  const [, ofConfiguration, ofLoss] = pattern.exec(name) ?? []
  const configuration = configurations.find(({ id }) => id === ofConfiguration)
  const loss = losses.find(({ id }) => id === ofLoss)
  if (configuration === undefined || loss === undefined || loss.notOn(configuration) !== null) return null
  return defineScenario({
    id: name,
    story: `${loss.about} The deployment: ${configuration.about}.`,
    shape: configuration.shape,
    assumptions: [configuration.about, 'all copies of a message carry the same payload'],
    invariants,
    goals: loss.goals(configuration),
    recoveryCapMs,
    plans: plansOf({
      redis: drawRedis(configuration, loss.redis),
      always: (scope) => loss.always(scope, configuration),
      faults: loss.faults,
      maxFaults: 3,
      messages: 6,
      keys: 2,
      spanMs: 3000,
      ...loss.workload,
    }),
  })
}
