/** Rejects layers that only run in the simulator, for commands that play on real servers. */

import type { PairChoice } from '../campaign/play/campaign-request.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { isProgram } from '../contract/api/program-name.ts'
import { versionsOf } from '../contract/api/two-versions.ts'
import { UsageError } from './usage-error.ts'

type Command = 'live' | 'replay-live'

/** An option and the layer that it names, if it is given. */
type Named = readonly [option: '--impl' | '--with-next', layer: string | undefined]

/**
 * Checks only names, before anything is loaded, because a program must be started to read its
 * declarations.
 * @throws UsageError if one of them is a program
 */
export function refusePrograms(named: readonly Named[], command: Command): void {
  const program = named.find(([, layer]) => layer !== undefined && isProgram(layer))
  if (program === undefined) return
  throw new UsageError(program.join(' '), `a program runs only in the simulator, not under \`${command}\``)
}

/**
 * The sources of a mutant are only changed when the simulator loads them.
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
