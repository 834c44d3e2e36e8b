/**
 * Prints canaries on a terminal: for each its fate, its description, and the violation with the
 * command that replays it.
 */
import picocolors from 'picocolors'
import type { CanaryFate, CanaryResult, CanaryResults, InjectedKind } from '../contract/api/canary.ts'
import { visible } from '../contract/results/visible.ts'
import { counted } from './figures.ts'
import type { TerminalOptions } from './terminal.ts'

const words: Record<CanaryFate, string> = {
  caught: 'caught',
  lives: 'survives as expected',
  survived: 'SURVIVED',
  'equivalent-kill': 'KILLED BY ANOTHER FAULT',
  failed: 'FAILED',
}

export function canaryLines(result: CanaryResult, shrunk: boolean, { colours }: TerminalOptions): string[] {
  const { green, red, dim } = picocolors.createColors(colours)
  const { id, about, fate, runs, caught, failure, sink, without, injected = [] } = result
  const word = fate === 'caught' || fate === 'lives' ? green(words[fate]) : red(words[fate])
  const off = without.length > 0 ? `, without ${without.join(' and ')}` : ''
  const after = `${caught === null ? 'in' : 'after'} ${counted(runs, 'run')}`
  const lines = [`${word}  ${visible(id)}, ${sink} sink${off}, ${after}`, dim(`  ${visible(about)}`)]
  if (failure !== null) lines.push(`  ${visible(failure)}`)
  for (const kind of injected) lines.push(`  ${injectedText(kind, runs)}`)
  if (caught === null) return lines
  // A run that was not shrunk may contain faults that did not break the layer.
  const faults = `${shrunk ? 'by' : 'with'} ${caught.faults.length === 0 ? 'no fault' : caught.faults.join(', ')}`
  return [
    ...lines,
    `  ${caught.invariant}: ${caught.kind} under ${caught.scenario}, ${faults}`,
    `replay: ${caught.replay}`,
  ]
}

/** `crash: struck 0 times; planned but did not strike in 12 of 20 runs` */
function injectedText({ kind, strikes, unstruckRuns, withoutTarget }: InjectedKind, runs: number): string {
  if (strikes + unstruckRuns === 0) return `${kind}: planned in none of ${counted(runs, 'run')}`
  const aimless = withoutTarget === 0 ? '' : `, in ${withoutTarget} of them without a target`
  const missed = `planned but did not strike in ${unstruckRuns} of ${counted(runs, 'run')}${aimless}`
  return `${kind}: struck ${counted(strikes, 'time')}; ${missed}`
}

/** The summary, which repeats the canaries with a wrong fate. */
export function canarySummary(results: CanaryResults, { colours }: TerminalOptions): string[] {
  const { red } = picocolors.createColors(colours)
  const { canaries, medianRuns, kindsWithoutCanary } = results
  const count = (fate: CanaryFate): number => canaries.filter((canary) => canary.fate === fate).length
  const wanted = canaries.length - count('lives') - count('equivalent-kill')
  const lines = canaries
    .filter(({ fate }) => fate !== 'caught' && fate !== 'lives')
    .map(({ id, fate, failure }) => red(`${id}: ${words[fate]}${failure === null ? '' : `: ${failure}`}`))
  if (results.interrupted) lines.push(red('interrupted: canaries that are not listed were not played'))
  if (kindsWithoutCanary.length > 0) lines.push(red(`no per-fault canary: ${kindsWithoutCanary.join(', ')}`))
  const median = medianRuns === null ? '' : `, median runs to catch ${medianRuns}`
  const living =
    count('lives') === 0
      ? ''
      : `, ${counted(count('lives'), 'lives', 'live')} as ${count('lives') === 1 ? 'it' : 'they'} must`
  return [...lines, `${count('caught')} of ${wanted} caught${living}${median} (seed ${results.seed})`]
}
