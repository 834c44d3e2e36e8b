import { describe, expect, it } from 'vitest'
import { codeOfPasses, codeOfTries } from '../../src/cli/live-replay-codes.ts'
import { liveReplayLines } from '../../src/cli/live-replay-lines.ts'
import type { LiveReplay } from '../../src/contract/results/live-replay.ts'

const broke = { invariant: 'at-most-once', kind: 'duplicate', key: 'order-1', decidedBy: null } as const

const made = (answer: LiveReplay['answer'], more: Partial<LiveReplay> = {}): LiveReplay => ({
  implementation: 'layer',
  scenario: 'scenario',
  sink: 'plain',
  answer,
  expected: null,
  seen: [],
  reason: null,
  why: null,
  steps: { taken: 8, of: 9 },
  left: null,
  otherReply: null,
  on: 'made up',
  tookMs: 100,
  lateMs: 0,
  sentence: null,
  ...more,
})

const late = made('cannot be said', {
  seen: [broke],
  reason: 'late',
  why: 'the run was late by 700 ms; it broke',
  lateMs: 700,
})

describe('the exit code of passes', () => {
  it('is 0 if all were confirmed', () => expect(codeOfPasses([made('confirmed')], false)).toBe(0))

  it('is 1 if one breaks', () => {
    expect(codeOfPasses([made('confirmed'), made('not confirmed', { seen: [broke] })], false)).toBe(1)
  })

  it('is 4 if one breaks on a late machine, or one left its path', () => {
    expect(codeOfPasses([made('confirmed'), late], false)).toBe(4)
    expect(codeOfPasses([made('confirmed'), made('not confirmed')], false)).toBe(4)
  })
})

describe('the exit code of tries', () => {
  it('is 1 if one is confirmed, and 4 if none is', () => {
    expect(codeOfTries([late, made('confirmed')], false)).toBe(1)
    expect(codeOfTries([late, made('not confirmed')], false)).toBe(4)
  })
})

describe('the lines about a run on real servers', () => {
  it('always include the delay', () => {
    expect(liveReplayLines(made('confirmed', { lateMs: 12 }))[1]).toBe(
      'confirmed on made up: 8 of 9 steps, 100 ms, at most 12 ms late',
    )
  })

  it('explain that a late one says nothing about the layer', () => {
    expect(liveReplayLines(late).slice(1)).toEqual([
      'cannot be said on made up: 8 of 9 steps, 100 ms, at most 700 ms late',
      '  the run was late by 700 ms; it broke',
      '  this proves nothing about the layer; repeat it on a less busy machine',
    ])
  })
})
