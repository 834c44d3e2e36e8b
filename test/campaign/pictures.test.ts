import { describe, expect, it } from 'vitest'
import type { ShownRun } from '../../src/campaign/findings.ts'
import { oneAtATime } from '../../src/campaign/inline-executor.ts'
import { picturesOf } from '../../src/campaign/pictures.ts'
import { encodeToken, type RecordedRun } from '../../src/campaign/token.ts'
import { finding } from '../report/made-up-results.ts'
import { emptyTimeline } from './empty-timeline.ts'
import { fakeBench } from './fake-deps.ts'

const recorded: RecordedRun = {
  ...{ scenario: 'fake-crash', implementation: 'fake', sink: 'plain', seed: 1, run: 4 },
  ...{ choiceSeed: 9, stepCount: 1, trail: 'a', digest: '0123abcd' },
  plan: {
    ...{ consumers: 1, leaseMs: 100, retentionMs: 1000, visibilityMs: 100, redeliveryMs: 10, maxAttempts: 2 },
    ...{ effectMs: 1, effectTimeoutMs: 10, faults: [] },
    messages: [{ key: 'k1', payload: 1, publishAtMs: 0 }],
  },
}
const names = { scenarioName: 'fake-crash', implementationName: 'fake', sink: 'plain', seed: 1, fresh: false } as const
const task = { ...names, scenarioPath: 'fake-crash', implementationPath: 'fake' }
const neighbour = { what: 'without the crash', token: encodeToken(recorded), replay: 'pnpm sim replay op2_x' }
const none = { what: 'no run next to it was found that holds: 3 tried', token: null, replay: '' }

const pictures = (found: Partial<ShownRun['finding']>, beside: RecordedRun | null = null, stopped = false) => {
  const played: unknown[] = []
  const deps = fakeBench({
    stopped: () => stopped,
    onRun: ({ plan, choices, film }) => played.push([plan, choices, film]),
  })
  const shown = { finding: finding('F1', found), recorded, neighbour: beside, task, timeline: emptyTimeline }
  return picturesOf([shown], { deps, alone: oneAtATime() }).then((drawn) => ({ drawn, played }))
}

describe('the pictures of findings', () => {
  it('have the run that a finding shows, which is played no more', async () => {
    const { drawn, played } = await pictures({})
    expect(drawn).toEqual([
      { implementation: '000-lua-acquire', sink: 'plain', finding: 'F1', timeline: emptyTimeline },
    ])
    expect(played).toEqual([])
  })

  it('have the nearest run that holds beside it, which is played for them with a film', async () => {
    const { drawn, played } = await pictures({ neighbour }, recorded)
    expect(played).toEqual([[recorded.plan, { seed: 9 }, true]])
    expect(drawn[0]!.neighbour).toMatchObject({ what: 'without the crash', replay: 'pnpm sim replay op2_x' })
    expect(drawn[0]!.neighbour!.timeline.events.length).toBeGreaterThan(0)
  })

  it('have it where it is too long for a token, too', async () => {
    const replay = 'pnpm sim replay reports/latest/a-file.json'
    const { drawn } = await pictures({ neighbour: { ...neighbour, token: null, replay } }, recorded)
    expect(drawn[0]!.neighbour).toMatchObject({ what: 'without the crash', replay })
  })

  it('leave it out where there is none, and once the user asked to stop', async () => {
    expect((await pictures({ neighbour: none })).drawn[0]).not.toHaveProperty('neighbour')
    const { drawn, played } = await pictures({ neighbour }, recorded, true)
    expect(drawn[0]).not.toHaveProperty('neighbour')
    expect(played).toEqual([])
  })
})
