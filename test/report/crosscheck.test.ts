import { describe, expect, it } from 'vitest'
import type { CrosscheckResult } from '../../src/contract/results/results.ts'
import { askedPhrase, crosscheckLines } from '../../src/report/crosscheck.ts'
import { page } from '../../src/report/page/page.ts'
import { results } from './made-up-results.ts'

const figures = {
  redis: '7.0.15',
  runs: 140,
  commands: 3072,
  byRule: 2,
  leftOut: { 'a restart': 31 },
  counterexamples: [],
  ms: 1200,
}
const agrees: CrosscheckResult = { verdict: 'agrees', ...figures }
const skipped: CrosscheckResult = { verdict: 'skipped', reason: 'redis-server not found; install one' }
const disagrees: CrosscheckResult = {
  verdict: 'disagrees',
  ...figures,
  disagreement: {
    implementation: 'reference',
    scenario: 'lost-reply',
    sink: 'plain',
    seed: 1,
    run: 50,
    command: 'GET <key>',
    real: '$1\r\na\r\n',
    model: '$1\r\nb\r\n',
    token: 'op2_x',
    replay: 'pnpm sim replay op2_x',
  },
}

describe('the crosscheck in reports', () => {
  it('has the number of commands that agree, and the skipped ones', () => {
    expect(crosscheckLines({ crosscheck: agrees })).toEqual([
      'model agrees with Redis 7.0.15 on 3,072 commands of 140 runs of this campaign',
      '  2 by a rule instead of byte by byte; left out: 31 a restart',
    ])
  })

  it('explains why there was nothing to compare with', () => {
    expect(crosscheckLines({ crosscheck: skipped })).toEqual([
      'the model was not compared with a real Redis in this campaign: redis-server not found; install one',
    ])
  })

  it('shows a difference with both replies and the replay command', () => {
    const lines = crosscheckLines({ crosscheck: disagrees })
    expect(lines).toContain('  reference under lost-reply, run 50: GET <key>')
    expect(lines).toContain('    Redis: "$1\\r\\na\\r\\n"')
    expect(lines).toContain('    model: "$1\\r\\nb\\r\\n"')
    expect(lines.at(-1)).toBe('replay: pnpm sim replay op2_x')
  })

  it('has the number of agreeing commands of a finding, and why commands were skipped', () => {
    const finding = { id: 'F1', implementation: 'mine', sink: 'plain' as const }
    const asked = (commands: number, leftOut: Record<string, number>) =>
      askedPhrase(finding, {
        crosscheck: { ...agrees, counterexamples: [{ ...finding, finding: 'F1', commands, leftOut }] },
      })
    expect(asked(12, { 'server introspection': 3 })).toBe('Redis 7.0.15 answers its 12 commands alike')
    expect(asked(12, { 'a restart': 3 })).toBe('Redis 7.0.15 answers 12 of its 15 commands alike (left out: a restart)')
    expect(asked(0, { 'a restart': 3 })).toBe('not compared with a real Redis: a restart')
    expect(askedPhrase(finding, { crosscheck: skipped })).toBe(
      'not compared with a real Redis: redis-server not found; install one',
    )
    expect(askedPhrase({ ...finding, id: null }, { crosscheck: agrees })).toBeNull()
  })

  it('is on the page with the assumptions, whatever its result', () => {
    const shown = (crosscheck: CrosscheckResult) => page(results({ timings: { totalMs: 1, crosscheck } }))
    expect(shown(agrees)).toContain('on 3,072 commands of')
    expect(shown(skipped)).toContain('not compared with a real Redis in this campaign: redis-server not found')
    expect(shown(disagrees)).toContain('GET &lt;key&gt;')
    expect(page(results({ exitCode: 3, timings: { totalMs: 1, crosscheck: disagrees } }))).toContain(
      'The simulated Redis differs from the real one.',
    )
  })
})
