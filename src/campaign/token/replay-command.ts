/** Builds the commands that replay a run, ready to be pasted. */
import { twoVersions, versionsOf } from '../../contract/api/two-versions.ts'
import { launcher } from '../../contract/results/launcher.ts'
import { isPath, type PairName } from './pair-ref.ts'
import type { RunAddress } from './run-address.ts'

/**
 * The command that replays a run of the pair from a token or a file. It names the user's own files
 * as options, because the replay executes them.
 */
export function replayRecorded(tokenOrFile: string, pair: Pick<PairName, 'implementation' | 'scenario'>): string {
  return `${launcher()} replay ${quoted(tokenOrFile)}${pathOptions(pair)}`
}

/** The command that replays a run as a campaign drew it. */
export function replayByAddress(address: RunAddress): string {
  return `${launcher()} replay ${addressOptions(address)}`
}

/** The command that plays a run on the real servers that `options` names. */
export function liveAgain(
  options: string,
  { seed, run, implementation, scenario, sink }: RunAddress,
  timeScale: number,
): string {
  const pair = `${layerOptions(implementation)} --scenario ${quoted(scenario)}${sinkOption(sink)}`
  return `${launcher()} live ${options} ${pair} --seed ${seed} --run ${run} --time-scale ${timeScale}`
}

/** The command that plays a recorded run on real servers. */
export function liveAgainRecorded(
  tokenOrFile: string,
  options: string,
  pair: Pick<PairName, 'implementation' | 'scenario'>,
  timeScale: number,
): string {
  return `${launcher()} live ${quoted(tokenOrFile)} ${options}${pathOptions(pair)} --time-scale ${timeScale}`
}

/** Plays a campaign of one scenario with the layer as it is now. */
export function campaignAgain({ implementation, scenario, sink }: PairName): string {
  return `${launcher()} ${layerOptions(implementation)} --scenario ${quoted(scenario)}${sinkOption(sink)}`
}

/** Plays the pairs of the layer that failed in the last report. */
export function lastFailedAgain({ implementation, scenario, sink }: PairName): string {
  const own = isPath(scenario) ? ` --scenario ${quoted(scenario)}` : ''
  return `${launcher()} ${layerOptions(implementation)}${own}${sinkOption(sink)} --last-failed`
}

const sinkOption = (sink: PairName['sink']): string => (sink === 'plain' ? '' : ` --sink ${sink}`)

export function addressOptions({ seed, run, implementation, scenario, sink }: RunAddress): string {
  return `--seed ${seed} --run ${run} ${layerOptions(implementation)} --scenario ${quoted(scenario)} --sink ${sink}`
}

function pathOptions({ implementation, scenario }: Pick<PairName, 'implementation' | 'scenario'>): string {
  const impl = versionsOf(implementation).some(isPath) ? ` ${layerOptions(implementation)}` : ''
  return isPath(scenario) ? `${impl} --scenario ${quoted(scenario)}` : impl
}

function layerOptions(implementation: string): string {
  const both = twoVersions(implementation)
  if (both === null) return `--impl ${quoted(implementation)}`
  return `--impl ${quoted(both.from)} --with-next ${quoted(both.next)}`
}

/** Quotes a word for the shell if it needs quotes. */
export function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
