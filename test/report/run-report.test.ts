import { describe, expect, test } from 'vitest'
import type {
  CampaignViolation,
  LayerCoverage,
  PairResult,
  Results,
  RootCause,
} from '../../src/contract/results/results.ts'
import { type Detail, RunReport } from '../../src/report/run-report.ts'
import { rowsOf } from '../../src/report/screen-rows.ts'
import { broken, finding, muchBroken, pair, results, violation } from './made-up-results.ts'

const report = 'reports/latest/index.html'

/** All output, from the seed to the path of the report. */
function reported(
  made: Results,
  detail: Detail = 'usual',
  failure: string | null = null,
  before: (runReport: RunReport) => void = () => {},
  isReportSaved = true,
  ofReports = '',
) {
  const lines: string[] = []
  const say = (line: string) => lines.push(line)
  const runReport = new RunReport({ detail, say, options: { colours: false }, report, ofReports })
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

/** The output of a campaign: the first violation, its story, then the pairs. */
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

const scenarioNames = ['clock-skew', 'data-loss', 'everything', 'eviction', 'key-reuse', 'late-crash']

const replays = (lines: readonly string[]) => lines.filter((line) => line.startsWith('replay: '))

describe('a layer that broke in fourteen of nineteen scenarios, in nine ways', () => {
  /** The output without its first violation. */
  const summary = (made: Results) => {
    const lines = reported(made)
    return lines.slice(lines.findIndex((line) => line.startsWith('violated ')) + 1)
  }

  test('has a summary of at most 45 rows', () => {
    expect(rowsOf(summary(muchBroken()))).toBeLessThanOrEqual(45)
    expect(rowsOf(reported(muchBroken(), 'verbose'))).toBeGreaterThan(45)
  })

  test('has whole tokens on request', () => {
    const made = muchBroken()
    expect(replays(reported(made, 'usual'))).toEqual([])
    expect(replays(reported(made, 'verbose'))).toHaveLength(made.rootCauses.length)
  })

  test('has whole tokens if the report cannot be written', () => {
    expect(replays(reported(muchBroken(), 'usual', null, () => {}, false))).toHaveLength(muchBroken().rootCauses.length)
  })

  test('is reported at once in one line, followed by its story', () => {
    const [seed, first, title, ...rest] = reportedLive(muchBroken())
    expect(seed).toBe('seed 7')
    expect(first).toBe('violated  000-lua-acquire × clock-skew: at-most-once: repeat-after-error (seed 7, run 312)')
    expect(title).toContain('000-lua-acquire × clock-skew, run 312 of seed 7, shrunk to 1 fault and 27 events')
    expect(rest.find((line) => line.includes('fault: the sink takes 2.001 s longer'))).toBeDefined()
  })

  test('names the scenario of the drawn run if its story is of another scenario', () => {
    const made = muchBroken()
    const story = { ...named(made), scenario: 'stale-message', drawnIn: 'clock-skew', run: 5, shrunk: true }
    const lines = reported(made, 'usual', null, (runReport) => runReport.firstStory(story))
    expect(lines.find((line) => line.includes('stale-message'))).toContain(
      '000-lua-acquire × stale-message, from run 5 of clock-skew, seed 7, shrunk to 1 fault and 27 events',
    )
  })

  test('has the violation, the number of scenarios and runs, and the scenarios in which it held', () => {
    const lines = reportedLive(muchBroken())
    expect(lines).toContain('000-lua-acquire: one effect happened twice (14 of 19 scenarios, 10,374 of 38,000 runs)')
    expect(lines).toContain('  held in lost-reply, redelivery-storm, redis-restart, slow-lock-holder and 1 more')
    expect(lines.filter((line) => line.startsWith('pass '))).toEqual([])
  })

  test('has the number of changes, assumptions and variants', () => {
    const made = muchBroken()
    const assumed = {
      ...made,
      rootCauses: made.rootCauses.map((one, at) => (at === 0 ? { ...one, assumes: 'redis-data-loss' as const } : one)),
    }
    expect(reported(made)).toContain('  9 things to change in the layer')
    expect(reported(assumed)).toContain('  8 things to change in the layer, 1 assumption about its environment')
    const folded = { ...made, rootCauses: [{ ...made.rootCauses[0]!, findings: made.findings.map(({ id }) => id) }] }
    expect(reported(folded)).toContain('  1 thing to change in the layer; 8 variants in the report')
  })

  test('has the likeliest root cause first, with place, story, change and a short command', () => {
    const made = muchBroken()
    const [first] = made.findings
    const placed = {
      ...made,
      findings: [{ ...first!, sourceLine: { file: 'layer.ts', line: 21 } }, ...made.findings.slice(1)],
    }
    const lines = reported(placed)
    const at = lines.findIndex((line) =>
      /^ 1 {2}After an error of the sink, the effect is performed again +6 runs, slow-sink$/.test(line),
    )
    expect(lines[at + 1]).toMatch(/^ {4}layer\.ts:21: the process died after it had sent the effect/)
    expect(lines.slice(at).find((line) => / \+2\.1 s {2}consumer-1 throws over message-1/.test(line))).toBeDefined()
    expect(lines).toContain('    Replay: pnpm sim replay 1')
    expect(lines.filter((line) => line.startsWith('    Fix: '))).toHaveLength(made.rootCauses.length)
    expect(lines.find((line) => line.startsWith('    Code: '))).toBeUndefined()
    const instead = 'docs/findings/instead.md#a-crash-in-between'
    const rootCauses = made.rootCauses.map((root) => ({ ...root, instead }))
    const withPage = reported({ ...placed, rootCauses })
    const change = withPage.findIndex((line) => line.startsWith('    Fix: '))
    // The text of the change takes one or more rows.
    const afterChange = withPage.slice(change + 1).find((line) => !line.startsWith('     '))
    expect(afterChange).toBe(`    Code: ${instead}`)
  })

  test('has the duration of each replay on real servers, or why it is impossible', () => {
    const made = muchBroken()
    const breaks = { invariant: 'at-most-once', kind: 'duplicate', key: 'order-1', decidedBy: null } as const
    const live = (ms: number) => ({ token: 'op2_a', replay: 'pnpm sim replay op2_a', scenario: 'eviction', ms, breaks })
    const lives = [live(44_000), live(2_000), live(86_400_000), { cannot: 'clock-step (no clock)' }]
    const withLives = (all: readonly RootCause['live'][]) => ({
      ...made,
      rootCauses: made.rootCauses.map((root, at) => (all[at] === undefined ? root : { ...root, live: all[at] })),
    })
    const lines = reported(withLives(lives))
    expect(lines).toContain('    Replay: pnpm sim replay 1      On real servers: pnpm sim replay-live 1 (about 50 s)')
    const all = lines.findIndex((line) => line.startsWith('    All on real servers: '))
    expect(
      lines
        .slice(all, all + 2)
        .join('')
        .replaceAll(/ +/g, ' '),
    ).toBe(
      ' All on real servers: pnpm sim replay-live --all (2 in about 50 s); not 3 (takes about 24 h); not 4: clock-step (no clock)',
    )
    const cannot = reported(withLives([{ cannot: 'clock-step (no clock)' }]))
    expect(cannot).toContain(
      '    Replay: pnpm sim replay 1      On real servers: cannot be made: clock-step (no clock)',
    )
    expect(reported(made).join('\n')).not.toContain('real servers')
    const summary = lines.slice(lines.findIndex((line) => line.startsWith('violated ')) + 1)
    expect(rowsOf(summary)).toBeLessThanOrEqual(45)
  })

  test('names the folder of the report in each command that reads it', () => {
    const breaks = { invariant: 'at-most-once', kind: 'duplicate', key: 'order-1', decidedBy: null } as const
    const live = { token: 'op2_a', replay: 'pnpm sim replay op2_a', scenario: 'eviction', ms: 1, breaks }
    const made = muchBroken()
    const lives = { ...made, rootCauses: made.rootCauses.map((root) => ({ ...root, live })) }
    const lines = reported(lives, 'usual', null, () => {}, true, ' --reports /elsewhere')
    const commands = lines.join('\n').match(/pnpm sim \S+ \S+(?: --reports \S+)?/g)!
    expect(commands.slice(0, 2)).toEqual(
      ['replay', 'replay-live'].map((one) => `pnpm sim ${one} 1 --reports /elsewhere`),
    )
    expect(commands.at(-1)).toBe('pnpm sim replay-live --all --reports /elsewhere')
    expect(commands.every((one) => one.endsWith(' --reports /elsewhere'))).toBe(true)
  })

  test('has the command and the scenarios of each later root cause in one row', () => {
    const made = muchBroken()
    const findings = made.findings.map((one, at) =>
      at === 1 ? { ...one, seenIn: scenarioNames.map((scenario) => ({ scenario, runs: [1] })) } : one,
    )
    const replays = reported({ ...made, findings }).filter((line) => line.startsWith('    Replay: '))
    expect(replays[0]).toBe('    Replay: pnpm sim replay 1')
    expect(replays[1]).toBe(
      '    Replay: pnpm sim replay 2      Seen in clock-skew, data-loss, everything, eviction and 2 more',
    )
    expect(replays[2]).toBe('    Replay: pnpm sim replay 3      Seen in crash-mid-logic, everything')
    expect(rowsOf(replays)).toBe(replays.length)
  })

  test('leaves out the commands of the last root causes if the summary would be too long', () => {
    const lines = summary(muchBroken())
    const replays = lines.filter((line) => line.startsWith('    Replay: '))
    expect(rowsOf(lines)).toBeLessThanOrEqual(45)
    expect(replays.length).toBeGreaterThan(5)
    expect(replays.length).toBeLessThan(muchBroken().rootCauses.length)
    expect(lines.filter((line) => line.startsWith('    Fix: '))).toHaveLength(muchBroken().rootCauses.length)
  })

  test('explains how to accept an assumption', () => {
    const made = muchBroken()
    const findings = made.findings.map((one) => ({ ...one, acceptable: ['redis-data-loss' as const] }))
    const accept = "Or accept it: accepts: [{ what: 'redis-data-loss', because: '…' }]"
    const rootCauses = made.rootCauses.map((root) => ({ ...root, assumes: 'redis-data-loss' as const }))
    expect(reported({ ...made, findings, rootCauses }).join('\n')).toContain(accept)
    // A change of the layer is not offered for acceptance.
    expect(reported({ ...made, findings }).join('\n')).not.toContain(accept)
    expect(reported(made).join('\n')).not.toContain(accept)
  })

  test('has two lines and a summary in quiet mode', () => {
    expect(reportedLive(muchBroken(), 'quiet')).toEqual([
      '000-lua-acquire: one effect happened twice (14 of 19 scenarios, 10,374 of 38,000 runs)',
      expect.stringMatching(/^replay: pnpm sim replay op2_F1_/),
      '19 pairs: 5 pass, 14 violated; an invariant is violated (seed 7)',
    ])
  })
})

describe('a layer that broke on two kinds of sinks', () => {
  const breaks = { invariant: 'at-most-once', kind: 'duplicate', key: 'order-1', decidedBy: null } as const
  const onTwo = () => {
    const [made, one] = [muchBroken(), muchBroken()]
    const onKeyed = <Part extends object>(parts: readonly Part[]) =>
      parts.map((part) => ({ ...part, sink: 'keyed' as const }))
    return {
      ...made,
      pairs: [...made.pairs, ...onKeyed(one.pairs.slice(0, 3))],
      findings: [...made.findings, ...onKeyed(one.findings)],
      rootCauses: [...made.rootCauses, ...onKeyed(one.rootCauses)],
    }
  }

  test('has a line for each root cause on the sink with fewer runs', () => {
    const lines = reported(onTwo())
    const at = lines.findIndex((line) => line.startsWith('000-lua-acquire, keyed sink: '))
    expect(lines.slice(at + 2, at + 11).map((line) => line.slice(0, 3))).toEqual(
      ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((id) => ` ${id} `),
    )
    const replayed = lines.filter((line) => line.startsWith('    Replay: '))
    expect(replayed.slice(0, 2)).toEqual([
      '    Replay: pnpm sim replay 1',
      '    Replay: pnpm sim replay 2      Seen in crash-mid-logic, everything',
    ])
  })

  test('has the sink in the command for all root causes of a list', () => {
    const made = onTwo()
    const live = { token: 'op2_a', replay: 'pnpm sim replay op2_a', scenario: 'eviction', ms: 1, breaks } as const
    const all = (one: Results) =>
      reported({ ...one, rootCauses: one.rootCauses.map((root) => ({ ...root, live })) }).join('\n')
    expect(all(made)).toContain('replay-live --all --sink plain (')
    expect(all(muchBroken())).toContain('replay-live --all (')
  })
})

describe('several layers', () => {
  test('end with the one that broke most severely, whatever its name', () => {
    const cause = { invariant: 'bounded-stall', kind: 'retry-goes-on', path: [], decidedBy: null, needs: [] } as const
    const grave = broken({ implementation: 'a', violations: [violation({ story: [], finding: 'F1' })] })
    const late = broken({ implementation: 'b', violations: [violation({ ...cause, story: [], finding: 'F1' })] })
    const findings = [finding('F1', { implementation: 'a' }), finding('F1', { implementation: 'b', cause })]
    const lines = reported(results({ pairs: [pair(), grave, late], findings, exitCode: 1 }))
    const order = ['reference: 0 of', 'b: a message was delayed', 'a: one effect happened twice']
    const at = order.map((start) => lines.findIndex((line) => line.startsWith(start)))
    expect(at).toEqual([...at].sort((a, b) => a - b))
    expect(at).not.toContain(-1)
  })
})

describe('layers that hold', () => {
  const held = () => results({ pairs: ['lost-reply', 'data-loss'].map((scenario) => pair({ scenario })) })

  test('have the bound, and on request a line for each scenario', () => {
    const lines = reported(held())
    expect(lines.filter((line) => line.startsWith('pass '))).toEqual([])
    expect(reported(held(), 'verbose').filter((line) => line.startsWith('pass '))).toHaveLength(2)
    expect(rowsOf(lines)).toBeLessThanOrEqual(12)
    expect(lines).toContain(
      'reference: 0 of 4,000 runs broke: at most 1 in 1,333 breaks (95 % confidence) (2 scenarios as played)',
    )
  })

  test('have no bound without a verdict', () => {
    const open = pair({ scenario: 'data-loss', verdict: 'unknown', reason: 'why' })
    const lines = reported(results({ pairs: [pair(), open], exitCode: 4 }))
    expect(lines).toContain('          why')
    expect(lines.find((line) => line.startsWith('reference: 0 of 2,000 runs'))).toBeDefined()
    expect(lines).toContain('  no verdict in data-loss')
    expect(reported(results({ pairs: [open], exitCode: 4 })).join('\n')).not.toContain('95 %')
  })

  test('have one line in quiet mode', () => {
    expect(reported(held(), 'quiet')).toEqual(['2 pairs: 2 pass; every verdict is as expected (seed 7)'])
  })
})

describe('a problem of the harness', () => {
  test('is reported at the end in every mode', () => {
    const made = results({ control: pair({ implementation: '001-get-set' }), exitCode: 3 })
    for (const detail of ['quiet', 'usual', 'verbose'] as const) {
      const lines = reported(made, detail, 'the control survived')
      expect(lines.find((line) => line.includes('001-get-set DID NOT BREAK in 2,000 runs'))).toBeDefined()
      expect(lines.filter((line) => line !== `report: ${report}`).at(-2)).toBe(
        'the harness failed: the control survived',
      )
    }
  })

  test('does not include a control that broke, which has one line and no story', () => {
    const lines = reported(results())
    expect(lines.filter((line) => line.startsWith('checked: '))).toEqual([
      'checked: the control broke as expected; not compared with a real Redis: not requested',
    ])
    expect(replays(lines)).toEqual([])
    expect(reported(results(), 'verbose').filter((line) => line.includes('001-get-set'))).toEqual([
      'control: 001-get-set broke as expected (2,000 runs of crash-mid-logic)',
    ])
  })

  test('has a line for a failed pair, even if its layer broke before', () => {
    const failed = pair({ implementation: '001-get-set', scenario: 'eviction', verdict: 'error', reason: 'boom' })
    const lines = reported(results({ pairs: [broken(), failed], exitCode: 3 }))
    expect(lines).toContain('          boom')
  })
})

describe('scenarios that cannot be played with a layer', () => {
  const why = '000-lua-acquire × cluster-failover: skipped, it needs a Redis Cluster'
  const leaving = (made: Results, detail?: Detail) => reported(made, detail, null, ({ leaves }) => leaves(why))

  test('are listed after all verdicts', () => {
    const [seed, first, ...rest] = leaving(muchBroken())
    expect([seed, first]).toEqual(['seed 7', expect.stringMatching(/^violated {2}000-lua-acquire × /)])
    expect(rest.filter((line) => line === why)).toHaveLength(1)
  })

  test('have one line if there are several reasons, and a list on request', () => {
    const twice = (detail?: Detail) =>
      reported(muchBroken(), detail, null, ({ leaves }) => [why, `${why} too`].forEach(leaves))
    expect(twice()).not.toContain(why)
    expect(twice().find((line) => line.startsWith('skipped for 2 reasons: '))).toBeDefined()
    expect(twice('verbose')).toContain(`${why} too`)
    expect(leaving(muchBroken(), 'quiet')).not.toContain(why)
  })
})

test('skipped pairs have one line and no verdict', () => {
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

  test('are counted, and those that no pause separated are listed', () => {
    expect(text(layer)).toContain(
      'crash points 1 of 1 (100 %), pairs of neighboring commands 2 of 3 separated by a fault, 1 by a pause, 1 of 1 kind',
    )
    expect(text(layer)).toContain('not separated by a pause: GET → SET; SET → DEL')
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

  test('are counted beside the lines of the others, and listed', () => {
    const counted = expect.stringMatching(/script lines 3 of 3, 2 scripts not sent$/)
    expect(lines(['give', 'adopt'], 'usual')).toContainEqual(counted)
    expect(lines(['give', 'adopt'], 'verbose')).toContain('  scripts not sent: give; adopt')
  })

  test('are not mentioned if all were sent', () => {
    expect(lines([], 'verbose').join('\n')).not.toContain('not sent')
  })
})

test('a violation that no finding explains is still reported', () => {
  const lines = reported(results({ pairs: [broken()], exitCode: 1 }))
  expect(lines.find((line) => line.includes('fault: consumer-2 is killed'))).toBeDefined()
  expect(replays(lines)).toEqual(['replay: pnpm sim replay op2_Zm9vYmFyYmF6cXV4'])
})
