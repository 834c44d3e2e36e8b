/**
 * The progress of a campaign as text: pair n of m, runs, findings so far, and an estimate of the
 * time left.
 */
import type { Progress } from '../campaign/play/campaign-request.ts'
import { counted, grouped } from '../report/figures.ts'

export interface ProgressText {
  /** The progress without times. */
  readonly what: string
  /** `, about 40 s left`; empty if there is no estimate yet. */
  readonly left: string
}

export function progressText(progress: Progress | null, elapsedMs: number): ProgressText {
  if (progress === null) return { what: 'loading', left: '' }
  const { phase, implementation, scenario, runs, runsRequested, whole } = progress
  if (phase === 'exploring') return { what: `exploring ${implementation}: ${grouped(runs)} runs`, left: '' }
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

/** The share of the cost that must be spent before the time left is estimated. */
const leastShare = 0.05

/** Estimates the time left from the share of the cost that has been spent since the first run. */
function leftText({ costDone, costTotal, startedMs }: NonNullable<Progress['whole']>, elapsedMs: number): string {
  const share = costTotal === null || costTotal <= 0 ? 0 : Math.min(1, costDone / costTotal)
  if (share < leastShare) return ''
  const leftMs = ((elapsedMs - startedMs) * (1 - share)) / share
  const seconds = Math.ceil(leftMs / 1_000)
  return seconds < 90 ? `, about ${seconds} s left` : `, about ${Math.round(seconds / 60)} min left`
}
