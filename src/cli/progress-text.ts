/**
 * How far a campaign is, in words: pair n of m, runs, what was found so far, and an estimate of the
 * time left.
 */
import type { Progress } from '../campaign/play/campaign-request.ts'
import { counted, grouped } from '../report/figures.ts'

export interface ProgressText {
  /** The same as long as there is nothing new. */
  readonly what: string
  /** `, about 40 s left`, or nothing where that cannot be said yet. */
  readonly left: string
}

export function progressText(progress: Progress | null, elapsedMs: number): ProgressText {
  if (progress === null) return { what: 'loading', left: '' }
  const { phase, implementation, scenario, runs, runsRequested, whole } = progress
  const name = `${implementation} × ${scenario}`
  const doing = phase === 'shrinking' ? 'minimizing failures' : null
  if (whole === undefined) {
    const of = runsRequested === null ? '' : ` of ${runsRequested}`
    return { what: `${name}: ${doing ?? `${runs}${of} runs`}`, left: '' }
  }
  const { pairsDone, pairs, findings } = whole
  const facts = [
    `pair ${Math.min(pairsDone + 1, pairs)} of ${pairs}`,
    `${grouped(whole.runs)} runs`,
    ...(findings > 0 ? [counted(findings, 'finding')] : []),
  ]
  return { what: `${facts.join(', ')}: ${name}${doing === null ? '' : `, ${doing}`}`, left: leftText(whole, elapsedMs) }
}

/** Of less than this share no estimate is made. */
const leastShare = 0.05

/** By what of the cost was paid since the first run. */
function leftText({ costDone, costTotal, startedMs }: NonNullable<Progress['whole']>, elapsedMs: number): string {
  const share = costTotal === null || costTotal <= 0 ? 0 : Math.min(1, costDone / costTotal)
  if (share < leastShare) return ''
  const leftMs = ((elapsedMs - startedMs) * (1 - share)) / share
  const seconds = Math.ceil(leftMs / 1_000)
  return seconds < 90 ? `, about ${seconds} s left` : `, about ${Math.round(seconds / 60)} min left`
}
