/** Rejects layers that only run in the simulator, for commands that play on real servers. */

import type { PairChoice } from '../campaign/play/campaign-request.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { isProgram } from '../contract/api/program-name.ts'
import { versionsOf } from '../contract/api/two-versions.ts'
import { UsageError } from './usage-error.ts'

type Command = 'live' | 'replay-live'

/** An option and its value, undefined if the option is not given. */
type Named = readonly [option: '--impl' | '--with-next', layer: string | undefined]

/**
 * Checks only the names, before any layer is loaded, because loading a program starts it.
 * @throws UsageError if one of the layers is a program
 */
export function refusePrograms(named: readonly Named[], command: Command): void {
  const program = named.find(([, layer]) => layer !== undefined && isProgram(layer))
  if (program === undefined) return
  throw new UsageError(program.join(' '), `a program runs only in the simulator, not under \`${command}\``)
}

/**
 * Rejects mutants, whose sources are changed only when the simulator loads them.
 * @throws UsageError if a layer, or one of its two versions, is a mutant
 */
export async function refuseMutants(
  choices: readonly PairChoice[],
  command: Command,
  { loadImplementation }: Pick<CampaignDeps, 'loadImplementation'>,
): Promise<void> {
  for (const file of choices.flatMap(({ implementationPath }) => versionsOf(implementationPath))) {
    const { implementation, mutant } = await loadImplementation(file)
    if (mutant) throw new UsageError(implementation.id, `a mutant runs only in the simulator, not under \`${command}\``)
  }
}
