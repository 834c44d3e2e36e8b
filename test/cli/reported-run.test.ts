import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportedFinding, reportedLive, reportedLives, reportedRun } from '../../src/cli/reported-run.ts'
import { broken, finding, results } from '../report/made-up-results.ts'
import { temporaryFolder, write } from './run-cli.ts'

const cwd = temporaryFolder()
const reports = path.join(cwd, 'reports')
const on = (sink: 'plain' | 'keyed', id: string, replay: string) => finding(id, { sink, replay })

write(
  cwd,
  'reports/latest/results.json',
  JSON.stringify(
    results({
      pairs: [broken({ implementation: '000-lua-acquire' })],
      findings: [
        on('plain', 'F1', 'pnpm sim replay op2_abc'),
        on('plain', 'F2', "pnpm sim replay --seed 7 --run 3 --impl './my layer.ts' --scenario eviction --sink plain"),
        on('keyed', 'F1', 'pnpm sim replay op2_keyed --impl ./mine.ts'),
      ],
    }),
  ),
)

describe('a run for real servers', () => {
  const breaks = { invariant: 'at-most-once', kind: 'zombie', key: 'order-2', decidedBy: null } as const
  const made = results({
    pairs: [broken({ implementation: '000-lua-acquire' })],
    findings: ['F1', 'F2', 'F3'].map((id) => on('plain', id, `pnpm sim replay op2_${id}`)),
  })
  const live = { token: 'op2_other', replay: 'pnpm sim replay op2_other', scenario: 'eviction', ms: 1, breaks }
  const lives = [live, { cannot: 'it has no such clock' }, undefined]
  const rootCauses = made.rootCauses.map((root, at) => (lives[at] === undefined ? root : { ...root, live: lives[at] }))
  write(cwd, 'live/latest/results.json', JSON.stringify({ ...made, rootCauses }))
  const asked = { reports: path.join(cwd, 'live') }

  it('is the fastest one, with its violation', () => {
    expect(reportedLive('1', asked)).toMatchObject({ shown: { id: '1' }, live: { token: 'op2_other', breaks } })
  })

  it('is that of the finding if the user names it, or if the root cause has no other', () => {
    const own = { invariant: 'at-most-once', kind: 'repeat-after-crash', key: 'order-1', decidedBy: 'SET: OK' }
    expect(reportedLive('F1', asked)).toMatchObject({ shown: { id: 'F1' }, live: { token: 'op2_F1', breaks: own } })
    expect(reportedLive('3', asked)).toMatchObject({ live: { token: 'op2_F3', breaks: own } })
  })

  it('has the reason if no run is possible', () => {
    expect(reportedLive('2', asked)?.live).toEqual({ cannot: 'it has no such clock' })
  })

  it('exists for each root cause of the named layer', () => {
    expect(reportedLives(asked).map(({ shown }) => shown.id)).toEqual(['1', '2', '3'])
    expect(reportedLives({ ...asked, impl: '000-lua-acquire' })).toHaveLength(3)
    expect(reportedLives({ ...asked, impl: '001-get-set' })).toEqual([])
  })

  it('is refused like the run of a report', () => {
    expect(() => reportedLive('9', asked)).toThrow(/9: not in the last report; it has 1, 2, 3, F1/)
    expect(reportedLive('op2_abc', asked)).toBeNull()
  })
})

describe('a run of the last report', () => {
  it('is found by the id of a root cause or a finding', () => {
    expect(reportedRun('1', { reports })).toEqual({ token: 'op2_abc', options: {} })
    expect(reportedRun('F1', { reports })).toEqual({ token: 'op2_abc', options: {} })
  })

  it('is found by the name of a root cause', () => {
    expect(reportedRun('crash', { reports })?.token).toBe('op2_abc')
  })

  it('is given by options if it has no token', () => {
    expect(reportedRun('F2', { reports })).toEqual({
      options: { impl: './my layer.ts', scenario: 'eviction', seed: 7, run: 3, sink: 'plain' },
    })
  })

  it('is that of the named sink', () => {
    expect(reportedRun('1', { reports, sink: 'keyed' })).toEqual({ token: 'op2_keyed', options: { impl: './mine.ts' } })
  })

  it('has a finding, which `open` shows', () => {
    expect(reportedFinding('F2', { reports })).toMatchObject({ id: 'F2', sink: 'plain' })
    expect(() => reportedFinding('F9', { reports })).toThrow(/not in the last report/)
  })

  it('is not searched if the text is a token or another word', () => {
    expect(reportedRun('op2_abc', { reports })).toBeNull()
    expect(reportedRun('null', { reports })).toBeNull()
    expect(reportedRun('null', { reports: 'nowhere' })).toBeNull()
  })

  it('is refused by a line with the valid names', () => {
    expect(() => reportedRun('F9', { reports })).toThrow(/F9: not in the last report; it has 1, 2, F1, F2/)
    expect(() => reportedRun('1', { reports: path.join(cwd, 'none') })).toThrow(/no .*results\.json; run a/)
    write(cwd, 'bad/latest/results.json', '{}')
    expect(() => reportedRun('1', { reports: path.join(cwd, 'bad') })).toThrow(/not the results of a campaign/)
  })
})
