/**
 * Plays each reported bug and its repair in a few runs, and checks the reasons for the violations.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { attributed } from '../../src/campaign/causes/attributed.ts'
import { whyOf } from '../../src/campaign/causes/why/why.ts'
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import { loadPair } from '../../src/campaign/play/load-pair.ts'
import { planOf } from '../../src/campaign/play/run-chunk.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { selectPairs } from '../../src/cli/select.ts'
import type { History } from '../../src/contract/api/history.ts'
import { severity } from '../../src/contract/api/severity.ts'
import { cases, isToldAs, placeOf, type ReportedCase, type Side, type Told } from '../../tools/reported/cases.ts'
import { entryOf } from '../../tools/reported/play-reported.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'reported-'))
const deps = createDeps(() => false)
const seed = 4242

/**
 * The distinct reasons of all violations, those of the most severe invariant first.
 * @throws if a run cannot be judged
 */
async function reasonsOf(one: ReportedCase, side: Side): Promise<readonly Told[]> {
  const { scenario, runs } = { ...one.bug, ...one[side] }
  const wanted = { implementations: [entryOf(one.file, side, folder)], scenarios: [scenario] }
  const [choice] = await selectPairs(wanted, [], deps)
  const task = { ...choice!, seed, fresh: false }
  const { sink } = task
  const pair = await loadPair(task, deps)
  expect(pair.implementation.implementation.id).toBe(one[side]!.id)
  const found = new Map<string, Told>()
  for (let run = 0; run < runs; run++) {
    const { value, choiceSeed } = drawRun(pair.scenario, seed, run)
    const request = { ...pair, sink, plan: planOf(task, value.value), choices: { seed: choiceSeed } }
    const judged = ({ history }: { history: History }) =>
      deps.judge(history, pair.scenario.invariants, pair.scenario.own).flatMap(({ name: invariant, verdict }) => {
        // A few messages do not show whether the number of keys keeps growing, so
        // `no-immortal-keys` may be unknown here.
        if (invariant !== 'no-immortal-keys')
          expect(verdict, `${scenario}, run ${run}: ${invariant}`).not.toMatchObject({ verdict: 'unknown' })
        return verdict.verdict === 'violated' ? verdict.violations.map((violation) => ({ invariant, violation })) : []
      })
    if (judged(await deps.runWorld({ ...request, record: false })).length === 0) continue
    const recorded = attributed(await deps.runWorld({ ...request, record: true }))
    for (const { invariant, violation } of judged(recorded)) {
      const { why } = whyOf(recorded, violation)
      found.set(`${invariant} ${violation.kind} ${why}`, { cause: { invariant, kind: violation.kind }, why })
    }
  }
  return [...found.values()].sort((a, b) => severity(a.cause.invariant) - severity(b.cause.invariant))
}

const sideOf = (side: Side) => cases.flatMap((one) => (one[side] === undefined ? [] : [{ id: one[side].id, one }]))
const inWords = (reasons: readonly Told[]) =>
  reasons.map(({ cause, why }) => `${cause.invariant} (${cause.kind}): ${why}`)
const unexplained = ({ fix }: ReportedCase, reasons: readonly Told[]) =>
  inWords(reasons.filter((reason) => !(fix?.left ?? []).some((left) => isToldAs(left, reason))))

describe('a layer with a reported mistake', () => {
  it.each(sideOf('bug'))('has the mistake among its first three reasons: $id', async ({ one }) => {
    const reasons = await reasonsOf(one, 'bug')
    expect(placeOf(one.bug, reasons), inWords(reasons).join('\n')).not.toBeNull()
  })
})

describe('the listed reasons of a repair', () => {
  it.each(sideOf('fix'))('explain every violation of the repaired layer: $id', async ({ one }) => {
    const reasons = await reasonsOf(one, 'fix')
    expect(placeOf(one.bug, reasons)).toBeNull()
    expect(unexplained(one, reasons)).toEqual([])
    const admitted = one.fix!.left?.find((left) => left.admitted)
    if (admitted !== undefined) expect(reasons.some((reason) => isToldAs(admitted, reason))).toBe(true)
  })

  it('do not explain every violation of the broken layer', async () => {
    const one = cases.find(({ bug }) => bug.id === 'setnx-then-pexpire')!
    expect(unexplained(one, await reasonsOf(one, 'bug'))).not.toEqual([])
  })
})
