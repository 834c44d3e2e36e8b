import { describe, expect, it } from 'vitest'
import { goals } from '../../../src/campaign/goals/index.ts'
import { type ChosenRun, goalsNotAsked, goalsUnseen, notAskedOf } from '../../../src/campaign/live/goals-not-asked.ts'

const chosen = (...shares: { [goal: string]: number }[]): ChosenRun[] =>
  shares.map((reaches, run) => ({ run, way: null, says: 'holds', reaches: new Map(Object.entries(reaches)) }))

describe('goals of a live command', () => {
  it('are required if the chosen runs surely reach them, and otherwise listed with their probability', () => {
    expect(goalsNotAsked(['sure', 'rare'], chosen({ sure: 1, rare: 0.25 }), false)).toEqual({
      rare: expect.stringMatching(/^too few live runs: .* 25 %/),
    })
    // Two runs reach it together; one alone would not suffice.
    expect(goalsNotAsked(['a', 'b'], chosen({ a: 1, b: 0.8 }, { b: 0.8 }), false)).toEqual({})
    expect(Object.keys(goalsNotAsked(['a', 'b'], chosen({ a: 1, b: 0.8 }), false))).toEqual(['b'])
  })

  it('are all required if none would remain, if no run was found, or if the layer should break', () => {
    expect(goalsNotAsked(['a'], chosen({}), false)).toEqual({})
    expect(goalsNotAsked(['a'], [], false)).toEqual({})
    const broken: ChosenRun = { run: 0, way: 'at-most-once duplicate', says: '', reaches: new Map() }
    expect(goalsNotAsked(['a'], [broken], false)).toEqual({})
    expect(goalsNotAsked(['a'], [{ ...broken, way: null, reaches: null }], false)).toEqual({})
  })

  it('are not required if only the simulator can observe them', () => {
    const asked = ['half-a-pipeline-was-executed', 'a-server-was-promoted']
    expect(goalsUnseen(asked, goals)).toEqual({ [asked[0]!]: 'visible only in the simulator' })
  })

  it('are not required if the user named the run', () => {
    const named: ChosenRun = { run: 7, way: null, says: notAskedOf, reaches: new Map() }
    expect(goalsNotAsked(['a'], [named], true)).toEqual({ a: 'not expected of a chosen run' })
  })
})
