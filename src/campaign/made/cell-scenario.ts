/**
 * The scenario of one cell of a configuration search. It has no file: workers and tokens identify
 * it by its name, which begins with the search's former name.
 */
import { defineScenario, type Scenario } from '../../contract/api/scenario.ts'
import type { BuiltInName } from '../../contract/api/verdict.ts'
import { plansOf } from '../../sim/plans/workload.ts'
import { type Configuration, configurations, drawRedis } from './configuration.ts'
import { type Loss, losses } from './loss.ts'

/**
 * Covers repeated effects and lost or postponed messages. Invariants that do not depend on Redis
 * are left to `matrix`.
 */
const invariants: readonly BuiltInName[] = [
  'at-most-once',
  'no-lost-message',
  'no-needless-park',
  'no-false-done',
  'bounded-stall',
]

/**
 * Layers may take as long as they declare: a configuration search does not judge how patient they
 * are.
 */
const recoveryCapMs = 600_000

const pattern = /^frontier\/([\w-]+)\/([\w-]+)$/

/** For example `frontier/sentinel/cut-off`. */
export function cellName(configuration: Pick<Configuration, 'id'>, loss: Pick<Loss, 'id'>): string {
  return `frontier/${configuration.id}/${loss.id}`
}

/** True if it has the form of a cell name, unlike files and ids of the catalogue. */
export function isCellName(name: string): boolean {
  return pattern.test(name)
}

/** The names of all cells. */
export function cellNames(): string[] {
  return configurations.flatMap((configuration) =>
    losses.filter((loss) => loss.notOn(configuration) === null).map((loss) => cellName(configuration, loss)),
  )
}

/** Null if there is no such cell. */
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
