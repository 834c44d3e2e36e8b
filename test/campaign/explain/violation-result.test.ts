import { describe, expect, it } from 'vitest'
import type { ReportedViolation } from '../../../src/campaign/causes/reported-violation.ts'
import {
  nearestPassingResult,
  reportedResult,
  violationResult,
} from '../../../src/campaign/explain/violation-result.ts'
import { drawRun } from '../../../src/campaign/play/draw-run.ts'
import { decodeRun } from '../../../src/campaign/token/token.ts'
import { crashScenario, noise } from '../fake-deps.ts'

const { value, choiceSeed } = drawRun(crashScenario(), 7, 3)

function counterexample(key: string): ReportedViolation {
  const plan = { ...value.value, messages: [{ key, payload: null, publishAtMs: 0 }] }
  return {
    invariant: 'at-most-once',
    violation: { kind: 'zombie', key: 'k', sentence: 'twice', events: [] },
    why: 'for a reason',
    reason: null,
    scripts: {},
    story: ['once', 'twice'],
    eventCount: 2,
    faultCount: 1,
    recorded: {
      scenario: 'fake-crash',
      implementation: './my layer.ts',
      sink: 'plain',
      seed: 7,
      run: 3,
      plan,
      choiceSeed,
      stepCount: 12,
      trail: 'ABCDEFGHIJKL',
      digest: 'deadbeef',
    },
  }
}

describe('a violation', () => {
  it('is replayed by its token and the path of the user’s file, on one line', () => {
    const result = violationResult(counterexample('k'), { reports: 'here' }, { keep: () => expect.unreachable() })
    expect(result.replay).toBe(`pnpm sim replay ${result.token} --impl './my layer.ts'`)
  })

  it('is kept as a file in the report if it is too long for a token', () => {
    const kept = new Map<string, string>()
    const long = counterexample(noise(4_000))
    const result = violationResult(long, { reports: 'here' }, { keep: (name, text) => kept.set(name, text) })
    expect(result.token).toBeNull()
    expect(result.replay).toBe(
      "pnpm sim replay here/latest/my-layer-ts--fake-crash--at-most-once--zombie.json --impl './my layer.ts'",
    )
    const text = kept.get('my-layer-ts--fake-crash--at-most-once--zombie.json')!
    expect(decodeRun(text)).toMatchObject({ ok: true, run: { plan: long.recorded.plan } })
  })

  it('replays the run as drawn if no file can hold it either', () => {
    const reported = counterexample('k')
    const choices = { broker: [...Array<number>(400_000).fill(0), 1] }
    const recorded = { ...reported.recorded, choices }
    const found = { scenario: 'other', implementation: 'fake', sink: 'plain', seed: 7, run: 5 } as const
    const unkept = 'the run cannot be stored in a token or a file: it has more than 400000 choices'
    const keep = () => expect.unreachable()
    expect(reportedResult({ ...reported, recorded }, found, { reports: 'here' }, { keep })).toMatchObject({
      token: null,
      replay: 'pnpm sim replay --seed 7 --run 5 --impl fake --scenario other --sink plain',
      story: ['once', 'twice', `${unkept}; the command replays the run before it was minimized`],
    })
    const beside = { what: 'it holds without the crash', recorded, timeline: null }
    const cause = { invariant: 'at-most-once', kind: 'zombie' } as const
    expect(nearestPassingResult(beside, cause, { reports: 'here' }, { keep })).toEqual({
      what: `it holds without the crash (${unkept})`,
      token: null,
      replay: '',
    })
  })
})
