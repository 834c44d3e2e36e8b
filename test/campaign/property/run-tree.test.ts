import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RunTree, runsOf } from '../../../src/campaign/property/run-tree.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'

/** Plans that differ in a number. */
const numbered = (min: number, max: number) =>
  fc.integer({ min, max }).map((leaseMs) => ({ leaseMs, messages: [], faults: [] }) as unknown as Plan)
const runs = runsOf({ plans: numbered(0, 1000) })
const leaseOf = (drawn: { run: { plan: Plan } } | null) => drawn?.run.plan.leaseMs

it('draws the same run from the same seed, and a different one from another seed', () => {
  const [one, same, other] = [7, 7, 8].map((seed) => new RunTree().draw(runs, seed, undefined).run)
  expect(same).toEqual(one)
  expect(other).not.toEqual(one)
})

it('returns the smaller runs in order, also from the start again, with the choices of the drawn run', () => {
  const tree = new RunTree()
  const { node, run } = tree.draw(runs, 7, undefined)
  const all: (number | undefined)[] = []
  for (let at = 0, smaller = tree.shrink(node, 0); smaller !== null; smaller = tree.shrink(node, ++at)) {
    expect(smaller.run.choiceSeed).toBe(run.choiceSeed)
    all.push(leaseOf(smaller))
  }
  expect(all.length).toBeGreaterThan(3)
  expect([0, 1, 2].map((at) => leaseOf(tree.shrink(node, at)))).toEqual(all.slice(0, 3))
  // fast-check walks along a path in this way.
  expect(leaseOf(tree.shrink(node, 0))).toBe(all[0])
  expect(leaseOf(tree.shrink(node, 2))).toBe(all[2])
})

it('has no smaller run past the last one, or for an unknown run', () => {
  const tree = new RunTree()
  const { node } = tree.draw(runs, 7, undefined)
  expect(tree.shrink(node, 1000)).toBeNull()
  expect(tree.shrink(99, 0)).toBeNull()
})

it('draws aimed runs in the same share as a campaign', () => {
  const aimed = { every: 4, draws: [1, 2].map((aim) => ({ goals: [], plans: numbered(aim * 10_000, aim * 10_000) })) }
  const tree = new RunTree()
  const all = runsOf({ plans: numbered(0, 1000), aimed })
  const drawn = Array.from({ length: 400 }, (_, seed) => leaseOf(tree.draw(all, seed, undefined))!)
  const shares = [1, 2].map((aim) => drawn.filter((lease) => lease === aim * 10_000).length / drawn.length)
  for (const share of shares) expect(share).toBeCloseTo(1 / 8, 1)
})
