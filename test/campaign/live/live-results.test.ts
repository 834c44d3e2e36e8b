import { describe, expect, it } from 'vitest'
import { liveViolation } from '../../../src/campaign/live/live-results.ts'
import type { LiveOutcome } from '../../../src/contract/results/live-run.ts'
import { aRun } from '../../check/history-builder.ts'

const reported = (kind: string) => {
  const history = aRun().publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).crash('a').deliver(2, 'm1', 'b', 2)
  history.send(2, 2).apply(2)
  const events = history.events.flatMap(({ type, seq }) => (type === 'effect-applied' ? [seq] : []))
  const violation = { kind, key: 'k1', sentence: 'an effect happened twice', events }
  const request = { seed: 1, again: (run: number) => `pnpm sim live --run ${run}` }
  const judged = { invariant: 'at-most-once', violation } as const
  return liveViolation(3, request, { history } as unknown as LiveOutcome, judged, { report: () => ['a story'] })
}

describe('a violation of a live run', () => {
  it('has a reason only if the facts give one', () => {
    expect(reported('repeat-after-crash').why).toContain('the process died after it had sent the effect')
    expect(reported('duplicate')).not.toHaveProperty('why')
  })

  it('is reported as played, without a search for a smaller run', () => {
    expect(reported('duplicate')).toMatchObject({
      shrunk: false,
      asPlayed: true,
      token: null,
      replay: 'pnpm sim live --run 3',
    })
  })
})
