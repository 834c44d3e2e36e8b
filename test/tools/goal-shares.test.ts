import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Plan } from '../../src/contract/api/plan.ts'
import { sharesOf } from '../../tools/detection-benchmark/shares.ts'

const plans = fc.constant(null as unknown as Plan)
const aimed = { every: 2, draws: ['rare', 'rarer'].map((goal) => ({ goals: [goal], plans })) }
const reached = (...goals: string[]) => new Set(goals)

it('the share of a goal is given for all runs, for unaimed ones, and for each aimed draw', () => {
  const runs = [reached(), reached('rare'), reached('rare'), reached('rarer')].map((goals, run) => ({ run, goals }))
  expect(sharesOf(['rare', 'rarer'], { aimed }, runs)).toEqual([
    { goal: 'rare', all: 0.5, unaimed: 0.5, aimed: [1, 0] },
    { goal: 'rarer', all: 0.25, unaimed: 0, aimed: [0, 1] },
  ])
})

it('all runs are unaimed without aimed draws', () => {
  const runs = [0, 1].map((run) => ({ run, goals: reached(run === 0 ? 'rare' : 'other') }))
  expect(sharesOf(['rare'], {}, runs)).toEqual([{ goal: 'rare', all: 0.5, unaimed: 0.5, aimed: [] }])
})
