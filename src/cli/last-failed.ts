/** `--last-failed`: selects the pairs that did not pass in the last report. */
import type { PairChoice } from '../campaign/play/campaign-request.ts'
import { pairName } from '../campaign/token/pair-ref.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import type { Results } from '../contract/results/results.ts'
import { resultsIn } from './reported-run.ts'

type Named = Pick<Results['pairs'][number], 'implementation' | 'scenario' | 'sink'>

/**
 * The pairs among `choices` that failed in the last report. If none of them failed or there is no
 * report: all pairs, and `say` gets a message. @throws UsageError, LoadError
 */
export async function onlyLastFailed(
  choices: readonly PairChoice[],
  reports: string,
  deps: Pick<CampaignDeps, 'loadScenario' | 'loadImplementation'>,
  say: (line: string) => void,
): Promise<readonly PairChoice[]> {
  const failed = lastFailed(reports)
  const chosen: PairChoice[] = []
  for (const choice of choices) {
    // In results, a pair that was run has the ids that its files declare. A pair that was not run
    // has the names with which it was selected.
    const { implementation } = await deps.loadImplementation(choice.implementationPath)
    const scenario = await deps.loadScenario(choice.scenarioPath)
    const declared = { implementation: implementation.id, scenario: scenario.id, sink: choice.sink }
    if (failed?.has(nameOf(declared)) || failed?.has(nameOf(pairName(choice)))) chosen.push(choice)
  }
  if (chosen.length > 0) return chosen
  say(`${failed === null ? 'no last report' : 'no failure of these pairs in the last report'}: playing every pair`)
  return choices
}

/**
 * Names of the pairs in the last report that did not pass or were not run; null if there is no
 * report. @throws UsageError
 */
export function lastFailed(reports: string): ReadonlySet<string> | null {
  const results = resultsIn(reports)
  if (results === null) return null
  const { pairs, notRun } = results
  return new Set([...pairs.filter(({ verdict }) => verdict !== 'pass'), ...notRun].map(nameOf))
}

function nameOf({ implementation, scenario, sink }: Named): string {
  return `${implementation} ${scenario} ${sink}`
}
