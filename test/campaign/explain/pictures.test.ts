import { describe, expect, it } from 'vitest'
import { picturesOf } from '../../../src/campaign/explain/pictures.ts'
import type { ShownRun } from '../../../src/campaign/explain/violation-result.ts'
import { encodeToken, type RecordedRun } from '../../../src/campaign/token/token.ts'
import { finding } from '../../report/made-up-results.ts'
import { emptyTimeline } from '../empty-timeline.ts'

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
const beside = { what: 'without the crash', token: encodeToken(recorded), replay: 'pnpm sim replay op2_x' }
const none = { what: 'no passing run found next to it (3 tried)', token: null, replay: '' }

const pictures = (found: Partial<ShownRun['finding']>, timeline: ShownRun['nearestPassing'] = null) =>
  picturesOf([{ finding: finding('F1', found), recorded, task, timeline: emptyTimeline, nearestPassing: timeline }])

describe('the pictures of findings', () => {
  it('have the run of the finding', () => {
    const [picture, ...others] = pictures({})
    expect(picture).toEqual({
      ...{ implementation: '000-lua-acquire', sink: 'plain', finding: 'F1' },
      timeline: emptyTimeline,
    })
    expect(others).toEqual([])
  })

  it('have the nearest passing run beside it, as it was drawn', () => {
    const timeline = { ...emptyTimeline, title: 'it holds' }
    const [picture] = pictures({ neighbour: beside }, timeline)
    expect(picture!.nearestPassing).toEqual({ what: 'without the crash', replay: 'pnpm sim replay op2_x', timeline })
  })

  it('have the nearest passing run even if it is too long for a token', () => {
    const replay = 'pnpm sim replay reports/latest/a-file.json'
    const [picture] = pictures({ neighbour: { ...beside, token: null, replay } }, emptyTimeline)
    expect(picture!.nearestPassing).toMatchObject({ what: 'without the crash', replay })
  })

  it('leave out the nearest passing run if there is none', () => {
    expect(pictures({ neighbour: none })[0]).not.toHaveProperty('nearestPassing')
    expect(pictures({})[0]).not.toHaveProperty('nearestPassing')
  })
})
