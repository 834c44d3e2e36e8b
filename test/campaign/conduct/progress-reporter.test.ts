import { expect, it } from 'vitest'
import { ProgressReporter } from '../../../src/campaign/conduct/progress-reporter.ts'
import type { PairPlan, Progress } from '../../../src/campaign/play/campaign-request.ts'
import type { PlayedPair } from '../../../src/campaign/play/pair-progress.ts'

const plan = (scenarioName: string): PairPlan => ({
  choice: { implementationName: 'mine', implementationPath: 'mine', scenarioName, sink: 'plain', runMs: 1 } as never,
  bound: { leastRuns: 0, quietShare: 0.1, mostRuns: 250 },
})

/** Returns the completed share of the campaign after one pair has played some of its runs. */
function shareAfter({ runs = 10, leastRuns = 40, broken = false }) {
  const reported: Progress[] = []
  const plans = [plan('one'), plan('other')]
  const context = { elapsedMs: () => 0, progress: (progress: Progress) => void reported.push(progress) }
  const reporter = new ProgressReporter(plans, context)
  const paths = new Map(broken ? [['way', { invariant: 'at-most-once', kind: 'duplicate' }]] : [])
  const progress = { tally: { runs, paths }, leastRuns, isDone: false }
  reporter.played({ plan: plans[0]!, progress } as unknown as PlayedPair)
  const { costDone, costTotal } = reported.at(-1)!.whole!
  return costDone / costTotal!
}

it('expects at least the minimum runs for a pair that has begun, and the usual number for one that has not', () => {
  expect(shareAfter({ runs: 10, leastRuns: 40 })).toBeCloseTo(10 / 140)
  expect(shareAfter({ runs: 50, leastRuns: 40 })).toBeCloseTo(50 / 150)
})

it('counts the searches that follow a violation', () => {
  expect(shareAfter({ broken: true })).toBeCloseTo(10 / (140 * 1.15))
})
