import { describe, expect, it } from 'vitest'
import { drawRun } from '../../src/campaign/draw-run.ts'
import {
  decodeRun,
  decodeToken,
  encodeRun,
  encodeToken,
  longestToken,
  type RecordedRun,
} from '../../src/campaign/token.ts'
import { crashScenario, noise } from './fake-deps.ts'

const { value, choiceSeed } = drawRun(crashScenario(), 7, 3)
const run: RecordedRun = {
  scenario: 'fake-crash',
  implementation: './my-layer.ts',
  sink: 'plain',
  seed: 7,
  run: 3,
  plan: value.value,
  choiceSeed,
  choiceCount: 12,
  digest: 'deadbeef',
}
const token = encodeToken(run)!

describe('a token', () => {
  it('gives back the run it was made of', () => {
    expect(token).toMatch(/^op1_[A-Za-z0-9_-]+$/)
    expect(token.length).toBeLessThanOrEqual(longestToken)
    expect(decodeToken(token)).toEqual({ ok: true, run: { ...run, version: 1 } })
  })

  it('is the same for the same run, in whatever order its members were written', () => {
    const turned = Object.fromEntries(Object.entries(run).reverse()) as unknown as RecordedRun
    expect(encodeToken(turned)).toBe(token)
  })

  it('that was cut short anywhere is unreadable, and never another run', () => {
    for (let length = 0; length < token.length - 1; length += 7)
      expect(decodeToken(token.slice(0, length))).toMatchObject({ ok: false, why: 'unreadable' })
  })

  it('does not exist for a run that is too long, which a file holds instead', () => {
    const long = { ...run, plan: { ...run.plan, messages: [{ key: 'k', publishAtMs: 0, payload: noise(4000) }] } }
    expect(encodeToken(long)).toBeNull()
    expect(decodeRun(encodeRun(long))).toMatchObject({ ok: true, run: { plan: long.plan } })
    expect(decodeRun(encodeRun(long).slice(0, 2000))).toMatchObject({ ok: false, why: 'unreadable' })
  })

  it('whose plan lacks a part is incompatible, and says which', () => {
    const { leaseMs: _, ...plan } = run.plan
    const altered = encodeRun({ ...run, plan: plan as RecordedRun['plan'] })
    expect(decodeRun(altered)).toEqual({
      ok: false,
      why: 'incompatible',
      problem: 'its plan has no `leaseMs` (a number)',
    })
  })
})
