import { isDeepStrictEqual } from 'node:util'
import { Random } from 'test-servers'
import type { Tables } from '../src/index.ts'
import type { Call, Outcome, Target } from './call.ts'
import { cases, caseTables } from './cases.ts'
import { type EmulatorTarget, JudgeDied } from './emulator-target.ts'
import { explanationOf } from './explained.ts'
import { call, creating, tablesOf } from './generate/calls.ts'
import { SimulatedTarget } from './simulated-target.ts'

export interface Difference {
  readonly sequence: number
  readonly call: Call
  readonly judge: Outcome
  readonly simulated: Outcome
}

export interface Comparison {
  compared: number
  /** Number of occurrences of each explained difference, by id. */
  readonly explained: Map<string, number>
  /**
   * Number of differences for which the simulated tables reported a behavior as `unjudged`, by that
   * behavior.
   */
  readonly unjudged: Map<string, number>
  readonly differences: Difference[]
  /** Calls that were not compared, because the judge crashed instead of answering. */
  readonly judgeDied: string[]
}

export interface Fuzz {
  readonly seed: number
  readonly sequences: number
  readonly callsPerSequence: number
  /** Introduces an error into the simulated tables, to test that the comparison detects it. */
  readonly sabotage?: (tables: Tables) => void
}

/**
 * Makes random calls to both sides. After a difference, a sequence continues only if the difference
 * is explained and both sides refused the call, so that their data is still equal.
 */
export async function compareRandomly(judge: EmulatorTarget, fuzz: Fuzz): Promise<Comparison> {
  const comparison: Comparison = {
    compared: 0,
    explained: new Map(),
    unjudged: new Map(),
    differences: [],
    judgeDied: [],
  }
  for (let sequence = 0; sequence < fuzz.sequences; sequence++) {
    const random = new Random(fuzz.seed * 1_000_003 + sequence)
    const simulated = new SimulatedTarget(fuzz.sabotage)
    const tables = tablesOf([`hash-${fuzz.seed}-${sequence}`, `range-${fuzz.seed}-${sequence}`])
    for (const table of tables) await make(judge, simulated, creating(table))
    try {
      for (let n = 0; n < fuzz.callsPerSequence; n++)
        if (!(await compareCall(judge, simulated, call(random, tables), sequence, comparison))) break
      for (const { name } of tables) await judge.call({ operation: 'DeleteTable', input: { TableName: name } })
    } catch (problem) {
      if (!(problem instanceof JudgeDied)) throw problem
      comparison.judgeDied.push(problem.message)
      await judge.restart()
    }
  }
  return comparison
}

/** Creates the table on both sides, and waits until the table is active. */
async function make(judge: Target, simulated: Target, creation: Call): Promise<void> {
  await Promise.all([judge.call(creation), simulated.call(creation)])
  const { TableName } = creation.input as { TableName: string }
  for (;;) {
    const { body } = await judge.call({ operation: 'DescribeTable', input: { TableName } })
    if ((body as { Table: { TableStatus: string } }).Table.TableStatus === 'ACTIVE') return
  }
}

/** @returns true if both sides certainly still store the same data */
async function compareCall(
  judge: Target,
  simulated: SimulatedTarget,
  call: Call,
  sequence: number,
  comparison: Comparison,
): Promise<boolean> {
  const [theirs, ours] = [await judge.call(call), await simulated.call(call)]
  comparison.compared++
  if (isDeepStrictEqual(theirs, ours)) return true
  if (simulated.unjudged.size > 0) {
    for (const what of simulated.unjudged) count(comparison.unjudged, what)
    return false
  }
  const explanation = explanationOf(call, theirs, ours)
  if (explanation === null) comparison.differences.push({ sequence, call, judge: theirs, simulated: ours })
  else count(comparison.explained, explanation.id)
  return explanation !== null && theirs.status !== 200 && ours.status !== 200
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Runs the cases on both sides, in order. */
export async function compareCases(judge: EmulatorTarget, sabotage?: (tables: Tables) => void): Promise<Comparison> {
  const comparison = emptyComparison()
  const simulated = new SimulatedTarget(sabotage)
  for (const table of caseTables) await make(judge, simulated, creating(table))
  for (const one of cases) await compareCall(judge, simulated, one, 0, comparison)
  for (const { name } of caseTables) await judge.call({ operation: 'DeleteTable', input: { TableName: name } })
  return comparison
}

function emptyComparison(): Comparison {
  return { compared: 0, explained: new Map(), unjudged: new Map(), differences: [], judgeDied: [] }
}
