import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CanaryResult, CanaryResults } from '../../src/contract/api/canary.ts'
import { between, canariesPage, guaranteesPage, mutants } from '../../tools/canaries/catalogue.ts'
import { guaranteeLines, guaranteeTable, mismatches } from '../../tools/canaries/guarantee-lines.ts'
import { huntRows, huntTable, missed } from '../../tools/canaries/hunts.ts'
import { withoutCanary } from '../../tools/canaries/without-canary.ts'

const page = fs.readFileSync(guaranteesPage, 'utf8')

describe('the lines of guarantees.md', () => {
  it('each have a canary that names them or a reason, and each canary names one', async () => {
    expect(mismatches(guaranteeLines(page), await mutants(), withoutCanary)).toEqual({
      aimless: [],
      bare: [],
      idle: [],
    })
  })

  it('are in docs/findings/canaries.md with their canaries, as written by `pnpm hunts --guarantees`', async () => {
    const table = guaranteeTable(guaranteeLines(page), await mutants(), withoutCanary)
    expect(between(fs.readFileSync(canariesPage, 'utf8'), 'guarantees').text).toBe(table)
  })

  it('are missed if a canary is removed, a line is new, or a reason is outdated', () => {
    const canaries = [{ id: 'a', breaks: 'One' }, { id: 'b', breaks: 'Nothing of the kind' }, { id: 'c' }]
    const reasons = { One: 'has a canary by now', Gone: 'is no line' }
    expect(mismatches(['One', 'Two'], canaries, reasons)).toEqual({
      aimless: ['b', 'c'],
      bare: ['Two'],
      idle: ['One', 'Gone'],
    })
  })

  it('are found in paragraphs, tables and lists, and a missing section is an error', () => {
    expect(guaranteeLines(page)).toEqual(
      expect.arrayContaining(['Through a crash anywhere', '`older-than-the-data`', 'Consumers agree', '`keyed` sinks']),
    )
    expect(() => guaranteeLines(page.replace('## Assumed today', '## Assumed'))).toThrow(
      'no section "## Assumed today"',
    )
  })
})

describe('the table of hunts', () => {
  const result = (id: string, runs: number | null): CanaryResult => ({
    id,
    about: '',
    sink: 'plain',
    killedBy: [],
    needs: [],
    without: [],
    fate: runs === null ? 'survived' : 'caught',
    runs: runs ?? 250,
    caught:
      runs === null
        ? null
        : {
            scenario: 's',
            invariant: 'at-most-once',
            kind: 'zombie',
            sentence: '',
            faults: [],
            token: null,
            replay: '',
          },
    failure: null,
  })
  const seed = (...canaries: CanaryResult[]) => ({ canaries }) as unknown as CanaryResults

  it('has the number of seeds on which each was caught, how soon, and the findings', () => {
    const rows = huntRows([seed(result('x', 3), result('y', null)), seed(result('x', 40), result('y', 7))])
    expect(rows.map(missed)).toEqual([false, true])
    expect(huntTable(rows).split('\n').slice(2)).toEqual([
      '| `x` | plain | s | 2 of 2 | 3 to 40 | at-most-once: zombie |',
      '| `y` | plain | s | 1 of 2 | 7 to 7 | at-most-once: zombie |',
    ])
  })
})
