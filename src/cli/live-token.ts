/** A recorded run (a token, a file of the corpus) that is to be made live. */
import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import type { PairChoice } from '../campaign/campaign-request.ts'
import { unknownFault } from '../campaign/replay.ts'
import type { RecordedRun } from '../campaign/token.ts'
import { runMsOf } from '../contract/scenario.ts'
import { readRun } from './read-run.ts'
import { selectRecorded } from './select-recorded.ts'
import { UsageError } from './usage-error.ts'

export interface RecordedChoice {
  /** As the user gave it. */
  readonly token: string
  readonly recorded: RecordedRun
  readonly choice: PairChoice
}

interface Given {
  readonly impl?: readonly string[]
  readonly scenario?: readonly string[]
  readonly run?: number
}

/** @throws UsageError, LoadError */
export async function chooseRecorded(
  token: string,
  { impl, scenario, run }: Given,
  deps: Pick<CampaignDeps, 'loadScenario' | 'loadImplementation'>,
): Promise<RecordedChoice> {
  if (run !== undefined) throw new UsageError('option --run', 'a token says it all; leave the option out')
  const read = readRun(token)
  if ('incompatible' in read) throw new UsageError('the token', `${read.incompatible}; this version cannot make it`)
  const recorded = read.run
  const fault = unknownFault(recorded)
  if (fault !== null)
    throw new UsageError('the token', `its plan has a fault ${fault}, which this version does not know`)
  const where = await selectRecorded('scenario', recorded.scenario, theOne(scenario), deps)
  const layer = await selectRecorded('implementation', recorded.implementation, theOne(impl), deps)
  const loaded = await deps.loadScenario(where.path)
  if (loaded.shape === 'cluster')
    throw new UsageError(`--scenario ${where.name}`, 'a Cluster is not made live yet; the token is one of those')
  const choice = {
    scenarioPath: where.path,
    scenarioName: where.name,
    implementationPath: layer.path,
    implementationName: layer.name,
    sink: recorded.sink,
    corpus: [],
    runMs: runMsOf(loaded),
  }
  return { token, recorded, choice }
}

/** A token is of one pair. */
function theOne(given: readonly string[] | undefined): string | undefined {
  return given?.join(' ')
}
