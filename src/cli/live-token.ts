/** Selects a recorded run (a token, or a file of the corpus) to be played live. */

import type { PairChoice } from '../campaign/play/campaign-request.ts'
import { unknownFault } from '../campaign/replay/replay.ts'
import type { RecordedRun } from '../campaign/token/token.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { isProgram } from '../contract/api/program-name.ts'
import { runMsOf } from '../contract/api/scenario.ts'
import { versionsOf } from '../contract/api/two-versions.ts'
import { readRun } from './read-run.ts'
import { type GivenLayer, selectRecorded, selectRecordedLayer } from './select-recorded.ts'
import { UsageError } from './usage-error.ts'

export interface RecordedChoice {
  /** The token or file, as the user wrote it. */
  readonly token: string
  readonly recorded: RecordedRun
  readonly choice: PairChoice
}

interface Given {
  readonly impl?: readonly string[]
  readonly withNext?: string
  readonly scenario?: readonly string[]
  /** Names of the options on the command line. */
  readonly given: ReadonlySet<string>
}

/** Options that cannot be given with a token. */
const ofTokens = ['sink', 'seed', 'run', 'runs']

/** @throws UsageError, LoadError */
export async function chooseRecorded(
  token: string,
  { impl, withNext, scenario, given }: Given,
  deps: Pick<CampaignDeps, 'loadScenario' | 'loadImplementation'>,
): Promise<RecordedChoice> {
  const extra = ofTokens.find((name) => given.has(name))
  if (extra !== undefined) throw new UsageError(`option --${extra}`, 'a token contains everything; remove the option')
  return readRecorded(token, { impl: theOne(impl), withNext, scenario: theOne(scenario) }, deps)
}

/**
 * Reads the run, and selects its layer and scenario. `named`: files of the user, as on the command
 * line. @throws UsageError, LoadError
 */
export async function readRecorded(
  token: string,
  named: GivenLayer & { readonly scenario?: string | undefined },
  deps: Pick<CampaignDeps, 'loadScenario' | 'loadImplementation'>,
): Promise<RecordedChoice> {
  const read = readRun(token)
  if ('incompatible' in read) throw new UsageError('the token', `made by another version: ${read.incompatible}`)
  const recorded = read.run
  const fault = unknownFault(recorded)
  if (fault !== null) throw new UsageError('the token', `this version does not know the fault ${fault} of its plan`)
  if (versionsOf(recorded.implementation).some(isProgram))
    throw new UsageError('the token', 'a program runs only in the simulator; use `replay`')
  const where = await selectRecorded('scenario', recorded.scenario, named.scenario, deps)
  const layer = await selectRecordedLayer(recorded.implementation, named, deps)
  const choice = {
    scenarioPath: where.path,
    scenarioName: where.name,
    implementationPath: layer.path,
    implementationName: layer.name,
    sink: recorded.sink,
    corpus: [],
    runMs: runMsOf(await deps.loadScenario(where.path)),
  }
  return { token, recorded, choice }
}

/**
 * A token has only one pair, so several values are joined into one, which matches no layer or
 * scenario.
 */
function theOne(given: readonly string[] | undefined): string | undefined {
  return given?.join(' ')
}
