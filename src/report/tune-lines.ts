/**
 * Prints tuned time limits on a terminal: the answer, the run that refutes the next shorter value,
 * and the number of broken runs for each value.
 */
import picocolors from 'picocolors'
import { durationText } from '../contract/results/time-text.ts'
import type { TunedLayer, TunedLimit, TuneResults, TuneRung } from '../contract/results/tune.ts'
import { counted } from './figures.ts'
import type { TerminalOptions } from './terminal.ts'
import { answerOf, brokenText, refutedRung, worstText } from './tune-summary.ts'

type Colours = ReturnType<typeof picocolors.createColors>

const barWidth = 30

/** A bar for the share of broken runs; not empty if any run broke. */
function bar({ runs, runsBroken }: TuneRung): string {
  return runsBroken === 0 ? '' : '█'.repeat(Math.max(1, Math.round((barWidth * runsBroken) / runs)))
}

const openWords = { holds: '', breaks: '', unknown: ' unknown', error: ' error' } as const

function curve({ rungs }: TunedLimit, colours: Colours): string[] {
  const texts = rungs.map(({ valueMs }) => durationText(valueMs))
  const broken = rungs.map(brokenText)
  const width = (all: readonly string[]) => Math.max(...all.map(({ length }) => length))
  return rungs.map((rung, at) => {
    const head = `  ${texts[at]!.padStart(width(texts))}  ${broken[at]!.padStart(width(broken))}`
    return `${colours.dim(head)}  ${colours.red(bar(rung))}${colours.yellow(openWords[rung.verdict])}`.trimEnd()
  })
}

function refutation(tuned: TunedLimit, colours: Colours): string[] {
  const rung = refutedRung(tuned)
  if (rung === undefined) return []
  if (rung.violation === null) return [`  ${colours.yellow('?')} ${durationText(rung.valueMs)}: ${rung.reason}`]
  const { invariant, kind, seed, run, faultCount, sentence, replay } = rung.violation
  const where = colours.dim(`(seed ${seed}, run ${run}, ${counted(faultCount, 'fault')})`)
  return [
    `${colours.red('✕')} ${durationText(rung.valueMs)}: ${invariant}: ${kind} ${where}`,
    `  ${sentence}`,
    `replay: ${replay}`,
  ]
}

/** The lines of one layer. */
export function tuneLines({ implementation, limits }: TunedLayer, options: TerminalOptions): string[] {
  const colours = picocolors.createColors(options.colours)
  return [
    colours.bold(implementation),
    ...limits.flatMap((tuned) => [
      `${colours.bold(tuned.limit)}: ${answerOf(tuned)} ${colours.dim(`(${worstText(tuned.worstCase)})`)}`,
      ...curve(tuned, colours),
      ...refutation(tuned, colours),
    ]),
    '',
  ]
}

const endings: Record<number, string> = {
  0: 'every value has its verdict',
  3: 'the harness failed: do not trust its verdicts',
  4: 'some values have no verdict',
  130: 'interrupted: results so far',
}

/** The last line: the number of values, the result and the seed. */
export function tuneSummary({ layers, exitCode, seed }: TuneResults, options: TerminalOptions): string {
  const colours = picocolors.createColors(options.colours)
  const values = layers.flatMap(({ limits }) => limits.flatMap(({ rungs }) => rungs))
  const text = `${counted(values.length, 'value')} of time limits: ${endings[exitCode] ?? `exit ${exitCode}`} (seed ${seed})`
  return exitCode === 0 ? colours.green(text) : exitCode === 3 ? colours.red(text) : colours.yellow(text)
}
