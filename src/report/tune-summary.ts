/**
 * The part of a tuned time limit's summary that all reports share: the answer, and the run that
 * refutes the next shorter value.
 */
import { durationText } from '../contract/results/time-text.ts'
import type { TunedLimit, TuneRung, WorstCase } from '../contract/results/tune.ts'
import { counted, grouped } from './figures.ts'

/** The worst case as text: `work 1 s, pause 2 s, no skew`. */
export function worstText(worst: Partial<WorstCase>): string {
  const parts = Object.entries(worst).map(([member, ms]) => {
    const part = member.replace(/Ms$/, '')
    return ms === 0 ? `no ${part}` : `${part} ${durationText(ms)}`
  })
  return parts.join(', ')
}

/** The number of broken runs as text: `12 of 200 runs`. */
export const brokenText = ({ runs, runsBroken }: TuneRung): string =>
  `${grouped(runsBroken)} of ${counted(runs, 'run')}`

const rungAt = ({ rungs }: TunedLimit, ms: number | null): TuneRung | undefined =>
  rungs.find(({ valueMs }) => valueMs === ms)

/** The value that decides the answer; undefined if the shortest value that was tried holds. */
export const refutedRung = (tuned: TunedLimit): TuneRung | undefined => rungAt(tuned, tuned.refutedMs)

/** The answer as one sentence, without the name of the limit and without a period. */
export function answerOf(tuned: TunedLimit): string {
  const held = rungAt(tuned, tuned.holdsFromMs)
  const refuted = refutedRung(tuned)
  if (held === undefined) return noneHolds(tuned, refuted)
  const holds = `${durationText(held.valueMs)} holds (${brokenText(held)} broke)`
  if (refuted === undefined) return `${holds}, the shortest tried, and so do all longer ones`
  const why = { breaks: `breaks (${brokenText(refuted)})`, holds: 'holds', unknown: 'has no verdict', error: 'failed' }
  return `${holds}, ${durationText(refuted.valueMs)} ${why[refuted.verdict]}`
}

function noneHolds({ limit, rungs }: TunedLimit, longest: TuneRung | undefined): string {
  const text = durationText(rungs.at(-1)!.valueMs)
  if (longest?.verdict !== 'breaks') return `no answer: the longest tried, ${text}, has no verdict`
  const broken = `${text}, the longest tried, breaks (${brokenText(longest)}), and a longer ${limit} does not help`
  return rungs.some(({ verdict }) => verdict === 'holds')
    ? `no ${limit} holds together with all longer ones:  ${broken}`
    : `no ${limit} holds: ${broken}`
}
