import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CampaignProgress, Progress } from '../../src/campaign/play/campaign-request.ts'
import { ProgressLine } from '../../src/cli/progress-line.ts'
import { progressText } from '../../src/cli/progress-text.ts'

const whole = (changes: Partial<CampaignProgress> = {}): CampaignProgress => ({
  pairsDone: 2,
  pairs: 19,
  runs: 1_250,
  findings: 1,
  costDone: 25,
  costTotal: 100,
  startedMs: 2_000,
  ...changes,
})
const progress = (changes: Partial<CampaignProgress> = {}, phase: Progress['phase'] = 'running'): Progress => ({
  phase,
  implementation: 'reference',
  scenario: 'lost-reply',
  runs: 50,
  runsRequested: 250,
  whole: whole(changes),
})

describe('the progress text', () => {
  test('has the current pair, runs, findings and remaining time, estimated from the cost of runs', () => {
    const { what, left } = progressText(progress(), 12_000)
    expect(what).toBe('pair 3 of 19, 1,250 runs, 1 finding: reference × lost-reply')
    expect(left).toBe(', about 30 s left')
    expect(progressText(progress({}, 'shrinking'), 12_000).what).toContain('minimizing failures')
  })

  test('omits an unknown remaining time, and findings if there are none', () => {
    expect(progressText(progress({ costDone: 1 }), 12_000).left).toBe('')
    expect(progressText(progress({ costTotal: null }), 12_000).left).toBe('')
    expect(progressText(progress({ findings: 0 }), 12_000).what).toBe(
      'pair 3 of 19, 1,250 runs: reference × lost-reply',
    )
    expect(progressText(progress({ pairsDone: 19 }), 12_000).what).toContain('pair 19 of 19')
  })

  test('uses minutes for many seconds', () => {
    expect(progressText(progress({ costDone: 10 }), 42_000).left).toBe(', about 6 min left')
  })

  test('has the runs of a single pair', () => {
    const { whole: _, ...alone } = progress()
    expect(progressText(alone, 12_000)).toEqual({ what: 'reference × lost-reply: 50 of 250 runs', left: '' })
    expect(progressText(null, 0).what).toBe('loading')
    expect(progressText({ ...alone, phase: 'exploring' }, 12_000).what).toBe('exploring reference: 50 runs')
  })
})

describe('the progress line', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function line(isTTY: boolean, quiet = false) {
    const written: string[] = []
    const stream = { isTTY, columns: 60, write: (text: string) => written.push(text) }
    const startMs = Date.now()
    return { written, progress: new ProgressLine(stream, () => Date.now() - startMs, quiet) }
  }

  test('is overwritten on a terminal, and cut to its width', () => {
    const { written, progress: shown } = line(true)
    shown.update(progress())
    vi.advanceTimersByTime(300)
    expect(written).toHaveLength(3)
    expect(written.every((text) => text.startsWith('\r\x1b[2K') && !text.includes('\n'))).toBe(true)
    expect(Math.max(...written.map((text) => text.length))).toBeLessThan(60 + '\r\x1b[2K'.length)
    shown.stop()
    expect(written.at(-1)).toBe('\r\x1b[2K')
  })

  test('is printed elsewhere only with news, and at most every ten seconds', () => {
    const { written, progress: shown } = line(false)
    shown.update(progress())
    vi.advanceTimersByTime(60_000)
    expect(written).toHaveLength(1)
    for (let runs = 2_000; runs < 2_060; runs++) {
      shown.update(progress({ runs }))
      vi.advanceTimersByTime(1_000)
    }
    expect(written.length).toBeGreaterThanOrEqual(6)
    expect(written.length).toBeLessThanOrEqual(8)
    shown.stop()
  })

  test('appears within seconds', () => {
    const { written } = line(false)
    vi.advanceTimersByTime(2_500)
    expect(written).toEqual([expect.stringMatching(/^… 2\.\d s {2}loading\n$/)])
  })

  test('is silent on request', () => {
    for (const isTTY of [true, false]) {
      const { written, progress: shown } = line(isTTY, true)
      shown.update(progress())
      vi.advanceTimersByTime(60_000)
      shown.stop()
      expect(written).toEqual([])
    }
  })
})
