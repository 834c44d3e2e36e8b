import { describe, expect, test } from 'vitest'
import type { CampaignViolation, LayerCoverage, PairResult, Results } from '../../src/contract/results/results.ts'
import { type Detail, RunReport } from '../../src/report/run-report.ts'
import { rowsOf } from '../../src/report/screen-rows.ts'
import { broken, finding, muchBroken, pair, results, violation } from './made-up-results.ts'

const report = 'reports/latest/index.html'

/** All that is said, from the seed to the path of the report. */
function reported(
  made: Results,
  detail: Detail = 'usual',
  failure: string | null = null,
  before: (runReport: RunReport) => void = () => {},
  isReportSaved = true,
) {
  const lines: string[] = []
  const runReport = new RunReport({ detail, say: (line) => lines.push(line), options: { colours: false }, report })
  runReport.note('seed 7')
  before(runReport)
  made.pairs.forEach(runReport.pairDone)
  runReport.conclude(made, failure, isReportSaved)
  runReport.note(`report: ${report}`)
  return lines
}

const named = ({ pairs }: Results) => {
  const { implementation, scenario, sink, violations } = pairs[0] as PairResult
  return { ...(violations[0] as CampaignViolation), implementation, scenario, sink }
}

/** As a campaign tells it: the first violation, its story, then the pairs. */
const reportedLive = (made: Results, detail: Detail = 'usual') =>
  reported(made, detail, null, (runReport) => {
    runReport.firstViolation(named(made))
    runReport.firstStory({
      ...named(made),
      story: made.findings[0]!.story,
      replay: made.findings[0]!.replay,
      shrunk: true,
    })
  })

const replays = (lines: readonly string[]) => lines.filter((line) => line.startsWith('replay: '))

describe('a layer that broke in fourteen of nineteen scenarios, in nine ways', () => {
  test('fits on a screen of sixty rows, as a campaign tells it', () => {
    expect(rowsOf(reportedLive(muchBroken()))).toBeLessThanOrEqual(60)
    expect(rowsOf(reportedLive(muchBroken(), 'verbose'))).toBeGreaterThan(60)
  })

  test('prints the command of every finding if the report could not be written', () => {
    const made = muchBroken()
    const commands = (isReportSaved: boolean) => replays(reported(made, 'usual', null, () => {}, isReportSaved)).length
    expect(commands(true)).toBeLessThan(made.findings.length)
    expect(commands(false)).toBe(made.findings.length)
  })

  test('so does one whose scenarios nearly all passed before it broke', () => {
    const made = muchBroken()
    const pairs = [
      ...made.pairs.filter(({ verdict }) => verdict === 'pass'),
      ...made.pairs.filter(({ verdict }) => verdict !== 'pass'),
    ]
    expect(rowsOf(reported({ ...made, pairs }))).toBeLessThanOrEqual(60)
  })

  test('and two of them on two screens', () => {
    const [one, other] = [muchBroken(), muchBroken('001-get-set')]
    const both = { ...one, pairs: [...one.pairs, ...other.pairs], findings: [...one.findings, ...other.findings] }
    expect(rowsOf(reportedLive(both))).toBeLessThanOrEqual(120)
  })

  test('is told at once, in one line with its token, and then its story', () => {
    const [seed, first, title, ...rest] = reportedLive(muchBroken())
    expect(seed).toBe('seed 7')
    expect(first).toMatch(
      /^violated {2}000-lua-acquire × clock-skew: at-most-once: repeat-after-error \(seed 7, run 312, as it was drawn\); replay: pnpm sim replay op2_\S+$/,
    )
    expect(title).toContain('shrunk to 1 fault and 27 events')
    expect(rest.find((line) => line.includes('fault: the sink takes 2001 ms longer'))).toBeDefined()
  })

  test('says what broke, in how many scenarios and runs, and where it held', () => {
    const lines = reportedLive(muchBroken())
    expect(lines).toContain(
      '000-lua-acquire: one effect happened twice; violated in 14 of 19 scenarios, 10,374 of 38,000 runs',
    )
    expect(lines).toContain('  held in lost-reply, redelivery-storm, redis-restart, slow-lock-holder and 1 more')
    expect(lines.filter((line) => line.startsWith('pass '))).toEqual([])
  })

  test("ends with the gravest finding's story and its replay command", () => {
    const lines = reportedLive(muchBroken())
    const [story, moral, replay, summary, path] = lines.slice(-5)
    expect(story).toContain('The sink applied effect-1')
    expect(moral).toContain('An error does not say that the effect failed')
    expect(replay).toMatch(/^replay: pnpm sim replay op2_F1_/)
    expect(summary).toBe('19 pairs: 5 pass, 14 violated; an invariant is violated (seed 7)')
    expect(path).toBe(`report: ${report}`)
  })

  test('tells each further finding with its cause and its token, the gravest first, and counts those that do not fit', () => {
    const lines = reportedLive(muchBroken())
    const at = lines.findIndex((line) => line.startsWith('  F2  at-most-once: zombie (its step needs crash, pause)'))
    expect(lines[at]).toMatch(/in 2 scenarios, 89 runs$/)
    expect(lines[at + 1]).toMatch(/^ {4}the process died after it had sent the effect/)
    expect(lines[at + 2]).toMatch(/^replay: pnpm sim replay op2_F2_/)
    const shown = lines.filter((line) => /^ {2}F[2-9] /.test(line)).length
    expect(shown).toBeGreaterThanOrEqual(2)
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {2}F3 {2}\S+: the process died after it had sent the effect .*…$/),
    )
    const left = lines.filter((line) => / more findings? in /.test(line))
    expect(left).toEqual([expect.stringContaining(`${8 - shown} more finding`)])
  })

  test('says what was left unshrunk', () => {
    expect(reportedLive(muchBroken())).toContain('  3 of 9 findings not shrunk: F7, F8, F9')
    const all = muchBroken()
    const shrunk = { ...all, findings: all.findings.map((one) => ({ ...one, shrunk: true })) }
    expect(reportedLive(shrunk).join('\n')).not.toContain('findings not shrunk')
  })

  test('tells every story where that is asked for, the gravest last', () => {
    const lines = reportedLive(muchBroken(), 'verbose')
    expect(lines.filter((line) => line.includes('Redis executes EVALSHA')).length).toBeGreaterThanOrEqual(9)
    expect(lines.filter((line) => line.startsWith('violated  000-lua-acquire × ')).length).toBe(15)
    expect(replays(lines).at(-1)).toContain('op2_F1_')
  })

  test('is two lines and a summary for those who want it quiet', () => {
    expect(reportedLive(muchBroken(), 'quiet')).toEqual([
      '000-lua-acquire: one effect happened twice; violated in 14 of 19 scenarios, 10,374 of 38,000 runs',
      expect.stringMatching(/^replay: pnpm sim replay op2_F1_/),
      '19 pairs: 5 pass, 14 violated; an invariant is violated (seed 7)',
    ])
  })
})

describe('several layers', () => {
  test('the one that broke most gravely comes last, whatever its name', () => {
    const cause = { invariant: 'bounded-stall', kind: 'retry-goes-on', path: [], decidedBy: null, needs: [] } as const
    const grave = broken({ implementation: 'a', violations: [violation({ story: [], finding: 'F1' })] })
    const late = broken({ implementation: 'b', violations: [violation({ ...cause, story: [], finding: 'F1' })] })
    const findings = [finding('F1', { implementation: 'a' }), finding('F1', { implementation: 'b', cause })]
    const lines = reported(results({ pairs: [pair(), grave, late], findings, exitCode: 1 }))
    const order = ['reference: 0 of', 'b: a message was put off', 'a: one effect happened twice']
    const at = order.map((start) => lines.findIndex((line) => line.startsWith(start)))
    expect(at).toEqual([...at].sort((a, b) => a - b))
    expect(at).not.toContain(-1)
  })
})

describe('layers that hold', () => {
  const held = () => results({ pairs: ['lost-reply', 'data-loss'].map((scenario) => pair({ scenario })) })

  test('have one line for each scenario as it ends, and state the bound', () => {
    const lines = reported(held())
    expect(lines.filter((line) => line.startsWith('pass '))).toHaveLength(2)
    expect(lines).toContain(
      'reference: 0 of 4,000 runs violated: at most 3/4,000 of such runs are (1 in 1,333), at 95 % (2 scenarios, as they were played)',
    )
  })

  test('state none for what has no verdict', () => {
    const open = pair({ scenario: 'data-loss', verdict: 'unknown', reason: 'why' })
    const lines = reported(results({ pairs: [pair(), open], exitCode: 4 }))
    expect(lines).toContain('          why')
    expect(lines.find((line) => line.startsWith('reference: 0 of 2,000 runs'))).toBeDefined()
    expect(lines).toContain('  no verdict in data-loss')
    expect(reported(results({ pairs: [open], exitCode: 4 })).join('\n')).not.toContain('at 95 %')
  })

  test('are a line for those who want it quiet', () => {
    expect(reported(held(), 'quiet')).toEqual(['2 pairs: 2 pass; every verdict is as expected (seed 7)'])
  })
})

describe('what went wrong with the harness', () => {
  test('is said at the end, quiet or not', () => {
    const made = results({ control: pair({ implementation: '001-get-set' }), exitCode: 3 })
    for (const detail of ['quiet', 'usual', 'verbose'] as const) {
      const lines = reported(made, detail, 'the control survived')
      expect(lines.find((line) => line.includes('001-get-set DID NOT BREAK in 2,000 runs'))).toBeDefined()
      expect(lines.filter((line) => line !== `report: ${report}`).at(-2)).toBe(
        'the harness failed: the control survived',
      )
    }
  })

  test('a control that broke, as it must, is one line, and its story is not told', () => {
    const lines = reported(results())
    expect(lines.filter((line) => line.includes('001-get-set'))).toEqual([
      'control: 001-get-set broke, as it must (2,000 runs of crash-mid-logic)',
    ])
    expect(replays(lines)).toEqual([])
  })

  test('a pair that failed has its line, though its layer broke before', () => {
    const failed = pair({ implementation: '001-get-set', scenario: 'eviction', verdict: 'error', reason: 'boom' })
    const lines = reported(results({ pairs: [broken(), failed], exitCode: 3 }))
    expect(lines).toContain('          boom')
  })
})

describe('scenarios that cannot be played with a layer', () => {
  const why = '000-lua-acquire × cluster-failover: n/a, for it needs a Redis Cluster'
  const leaving = (made: Results, detail?: Detail) => reported(made, detail, null, ({ leaves }) => leaves(why))

  test('are told after all verdicts: the first violation is the first line after the seed', () => {
    const [seed, first, ...rest] = leaving(muchBroken())
    expect([seed, first]).toEqual(['seed 7', expect.stringMatching(/^violated {2}000-lua-acquire × /)])
    expect(rest.filter((line) => line === why)).toHaveLength(1)
    const lines = leaving(results({ pairs: [pair(), pair({ scenario: 'data-loss' })] }))
    const passed = lines.flatMap((line, at) => (line.startsWith('pass ') ? [at] : []))
    expect(passed).toEqual([1, 2])
    expect(lines.indexOf(why)).toBe(3)
  })

  test('count towards the rows of a screen, and are none where it is to be quiet', () => {
    expect(rowsOf(leaving(muchBroken()))).toBeLessThanOrEqual(60)
    expect(leaving(muchBroken(), 'quiet')).not.toContain(why)
  })
})

test('what was left out is one line, and no verdict', () => {
  const notRun = ['a', 'b', 'c', 'd'].map((scenario) => ({
    implementation: 'reference',
    scenario,
    sink: 'plain' as const,
  }))
  const lines = reported(results({ pairs: [broken()], notRun, exitCode: 1 }))
  expect(lines.filter((line) => line.startsWith('not run: '))).toEqual([
    'not run: 4 pairs, after the first violation: reference × a, reference × b and 2 more',
  ])
  expect(lines).toContain('5 pairs: 1 violated, 4 not run; an invariant is violated (seed 7)')
  expect(reported(results({ notRun, interrupted: true })).find((line) => line.startsWith('not run: '))).toContain(
    'interrupted',
  )
})

describe('pairs of neighboring commands', () => {
  const layer: LayerCoverage = {
    implementation: 'reference',
    cells: { covered: 1, total: 1, missed: [], unreached: [] },
    neighbours: { total: 3, separated: 2, missed: { crash: [], pause: ['GET → SET', 'SET → DEL'] } },
    faults: { struck: ['crash'], never: [] },
    scripts: [],
    neverSent: [],
  }
  const text = (one: LayerCoverage) => reported(results({ pairs: [pair()], coverage: [one] }), 'verbose').join('\n')

  test('are counted, and those that no pause separated are named', () => {
    expect(text(layer)).toContain(
      'crash points 1 of 1 (100 %), pairs of neighboring commands 2 of 3 separated by a fault, by a pause 1, 1 of 1 kind',
    )
    expect(text(layer)).toContain('never separated by a pause: GET → SET; SET → DEL')
    const { neighbours: _, ...without } = layer
    expect(text(without)).not.toContain('neighboring')
  })
})

describe('scripts that no run sent', () => {
  const layer = (neverSent: readonly string[]): LayerCoverage => ({
    implementation: 'reference',
    cells: { covered: 1, total: 1, missed: [], unreached: [] },
    faults: { struck: ['crash'], never: [] },
    scripts: [{ script: 'take', lines: 3, executed: 3, neverExecuted: [] }],
    neverSent,
  })
  const lines = (neverSent: readonly string[], detail: Detail) =>
    reported(results({ pairs: [pair()], coverage: [layer(neverSent)] }), detail)

  test('are counted beside the lines of those that were, and named', () => {
    const counted = expect.stringMatching(/script lines 3 of 3, 2 scripts never sent$/)
    expect(lines(['give', 'adopt'], 'usual')).toContainEqual(counted)
    expect(lines(['give', 'adopt'], 'verbose')).toContain('  scripts never sent: give; adopt')
  })

  test('are not spoken of where all were sent', () => {
    expect(lines([], 'verbose').join('\n')).not.toContain('never sent')
  })
})

test('a violation that no finding explains is told all the same', () => {
  const lines = reported(results({ pairs: [broken()], exitCode: 1 }))
  expect(lines.find((line) => line.includes('fault: consumer-2 is killed'))).toBeDefined()
  expect(replays(lines)).toEqual(['replay: pnpm sim replay op2_Zm9vYmFyYmF6cXV4'])
})
