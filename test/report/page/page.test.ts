import { describe, expect, test } from 'vitest'
import type { ExitCode } from '../../../src/contract/api/exit-codes.ts'
import { invariantNames } from '../../../src/contract/api/verdict.ts'
import type { RootCause } from '../../../src/contract/results/results.ts'
import type { PageContext } from '../../../src/report/page/context.ts'
import { escaped } from '../../../src/report/page/html.ts'
import { page } from '../../../src/report/page/page.ts'
import { broken, finding, muchBroken, pair, results, violation } from '../made-up-results.ts'
import { expectLinksThatLead } from './links.ts'
import { manyLayers } from './made-up-pictures.ts'
import { unpackedPage } from './unpacked-page.ts'

const title = (made: Parameters<typeof results>[0]) => /<h1>(.*?)<\/h1>/.exec(page(results(made)))?.[1]
const count = (text: string, part: string) => text.split(part).length - 1

describe('the page', () => {
  test('is self-contained: it fetches nothing, and its policy forbids it', () => {
    const text = page(results({ pairs: [pair(), broken()], exitCode: 1 }))
    expect(text).toContain(`content="default-src &#39;none&#39;; style-src`)
    expect(text).not.toMatch(/https?:|@import|url\(|\ssrc=|<link/)
  })

  test('has one heading, landmarks, a language and unique ids', () => {
    const alone = results({ pairs: [pair(), pair({ scenario: 'lost-reply' }), broken()], exitCode: 1 })
    const twoSinks = muchBroken()
    const keyed = {
      pairs: twoSinks.pairs.map((one) => ({ ...one, sink: 'keyed' as const })),
      findings: twoSinks.findings.map((one) => ({ ...one, sink: 'keyed' as const })),
    }
    const both = { pairs: [...twoSinks.pairs, ...keyed.pairs], findings: [...twoSinks.findings, ...keyed.findings] }
    for (const made of [alone, twoSinks, { ...twoSinks, ...both }]) {
      const text = page(made)
      expect(count(text, '<h1>')).toBe(1)
      for (const part of ['<html lang="en">', '<main>', '<header>', '<footer', 'name="viewport"'])
        expect(text).toContain(part)
      expectLinksThatLead(text)
    }
  })

  test('escapes everything that a run, an adapter or a scenario could name', () => {
    const nasty = `<img src=x onerror="alert('1')">&`
    const text = page(
      results({
        pairs: [
          broken({
            implementation: nasty,
            scenario: nasty,
            reason: nasty,
            assumptions: [nasty],
            faults: { [nasty]: 1 },
            goals: { [nasty]: 'n/a' },
            goalReasons: { [nasty]: nasty },
            unsupportedCommands: [nasty],
            violations: [
              violation({ kind: nasty, story: [` 1.0 ms  ${nasty}`, nasty], replay: nasty }),
              violation({ kind: nasty, story: [], finding: nasty, runs: [1] }),
            ],
          }),
        ],
        findings: [
          finding(nasty, {
            implementation: nasty,
            cause: { invariant: 'at-most-once', kind: nasty, path: [nasty], decidedBy: nasty, needs: [nasty] },
            story: [` 1.0 ms  ${nasty}`, nasty],
            scenario: nasty,
            replay: nasty,
            seenIn: [{ scenario: nasty, runs: [1] }],
          }),
        ],
        notRun: [{ implementation: nasty, scenario: nasty, sink: 'plain' }],
        tool: nasty,
        exitCode: 1,
      }),
    )
    expect(text).not.toContain('<img')
    expect(text).toContain(escaped(nasty))
    expect(escaped(nasty)).toBe('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;')
  })

  test('gives the same bytes for the same results, whatever the timings', () => {
    expect(page(results({ timings: { totalMs: 1 } }))).toBe(page(results({ timings: { totalMs: 2 } })))
  })
})

describe('a page of more than a megabyte', () => {
  const results = manyLayers(24, 40)
  const text = page(results)

  test('has its long parts packed without loss', () => {
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000)
    const whole = unpackedPage(text)
    expect(Buffer.byteLength(whole)).toBeGreaterThan(2_000_000)
    expect(count(whole, '<details class="evidence"')).toBe(24 * 40)
    expect(count(whole, '<details class="counterexample"')).toBe(24 + 1)
    expectLinksThatLead(whole)
  })

  test('states that in a sentence, with the headline and the most severe finding unpacked', () => {
    expect(count(text, '<div class="packed"><p')).toBe(3)
    expect(text).toContain(
      'All findings are packed here, so that the page stays small: they show where scripts may run.',
    )
    expect(text).toContain('<h2 id="broke">')
    expect(count(text, '<ol class="timeline">')).toBe(2)
  })

  test('needs scripts, unlike a smaller page', () => {
    expect(page(manyLayers(3, 4))).not.toContain('class="packed"')
    expect(page(manyLayers(3, 4)).match(/<script/g)).toHaveLength(1)
  })
})

describe('the headline', () => {
  test.each<[string, Parameters<typeof results>[0]]>([
    ['No side effect happened twice in 2,000 runs', {}],
    ['A side effect can happen twice: 1 of 2 pairs violated', { pairs: [pair(), broken()], exitCode: 1 }],
    [
      'A message can be lost: 1 pair violated',
      { pairs: [broken({ violations: [violation({ invariant: 'no-lost-message', kind: 'given-up' })] })], exitCode: 1 },
    ],
    ['No verdict on 1 of 2 pairs', { pairs: [pair(), pair({ verdict: 'unknown', reason: 'why' })], exitCode: 4 }],
    ['A side effect can happen twice: 1 pair violated, as expected', { pairs: [broken({ expect: 'broken' })] }],
    [
      'A side effect can happen twice: 1 of 2 pairs violated, as expected',
      { pairs: [pair(), broken({ expect: 'broken' })] },
    ],
    ['The harness failed: do not trust these verdicts', { exitCode: 3 as ExitCode }],
    ['Interrupted', { pairs: [], control: null, interrupted: true, exitCode: 130 }],
  ])('%s', (expected, made) => expect(title(made)).toBe(expected))

  test('is not green for layers that broke as expected, and has what held beside them', () => {
    const text = page(results({ pairs: [pair(), broken({ expect: 'broken' })] }))
    expect(text).toContain('<div class="banner expected">')
    expect(text).toContain('Expected to break, and broken: 001-get-set. reference held: 5,840 effects in all')
    expect(page(results())).toContain('<div class="banner pass">')
    expect(page(results())).not.toContain('xpected to break')
  })

  test('mentions reached goals only if some were required', () => {
    expect(page(results())).toContain('every goal reached, every invariant valid')
    for (const goals of [{}, { 'needs-two-consumers': 'n/a' as const }]) {
      const text = page(results({ pairs: [pair({ goals })] }))
      expect(text).not.toContain('every goal reached')
      expect(text).toContain(' effects in all, every invariant valid')
    }
  })
})

describe('the page shows', () => {
  test('a verdict for every pair, in words and not only by color', () => {
    const text = page(
      results({ pairs: [pair(), pair({ scenario: 'lost-reply', verdict: 'unknown', reason: 'why' }), broken()] }),
    )
    expect(text).toContain('<span aria-hidden="true">✓</span> pass')
    expect(text).toContain('<span aria-hidden="true">?</span> unknown')
    expect(text).toContain('<span aria-hidden="true">✕</span> violated')
    expect(text).toContain('not run')
  })

  test('each story as a timeline, then the result, then the replay command', () => {
    const text = page(results({ pairs: [broken()], control: null, exitCode: 1 }))
    expect(count(text, '<span class="time">')).toBe(10)
    expect(text).toContain(
      '<li class="fault"><span class="time">98.3 ms</span> <span class="what">fault: consumer-2 is killed',
    )
    expect(count(text, '<li class="effect">')).toBe(2)
    expect(text).toContain('<p>The sink applied effect-1 (consumer-2, 100.3 ms)')
    expect(text).toContain('<code>pnpm sim replay op2_Zm9vYmFyYmF6cXV4</code>')
    expect(text).toContain('Seen in 741 runs: <a href="#pair-001-get-set-crash-mid-logic-plain">')
  })

  test('unexpected results first, with an open story', () => {
    const pairs = [
      broken({ implementation: '000-expected', expect: 'broken' as const }),
      broken({ implementation: '001-not' }),
    ]
    const text = page(results({ pairs, exitCode: 1 }))
    expect(text.indexOf('001-not under crash-mid-logic:')).toBeLessThan(
      text.indexOf('000-expected under crash-mid-logic:'),
    )
    expect(text).toMatch(/<details class="counterexample"[^>]* open>/)
  })

  test('no seed for an order that an exploration found', () => {
    const explored = broken({ violations: [violation({ explored: true })] })
    const text = page(results({ pairs: [explored], exitCode: 1 }))
    expect(text).toContain('The smallest order, plain sink. With 1 fault and 27 events')
    // The other one is the control.
    expect(count(text, 'Seed 7, run 312')).toBe(1)
    expect(count(page(results({ pairs: [broken()], exitCode: 1 })), 'Seed 7, run 312')).toBe(2)
  })

  test('root causes with their stories, a table of all findings, then the verdicts', () => {
    const text = page(muchBroken())
    const order = [
      'What to change: 9 root causes',
      'After an error of the sink, the effect is performed again',
      'Free the key only if the sink refused.',
      '<span class="id">F1</span> 000-lua-acquire under crash-mid-logic',
      '<span class="id">F2</span>',
      'All 9 findings',
      '<a href="#finding-000-lua-acquire-plain-F2">F2</a>',
      '<h2 id="verdicts">',
    ].map((part) => text.indexOf(part))
    expect(order).not.toContain(-1)
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(count(text, '<details class="counterexample"')).toBe(10)
    expect(text).toContain('9 findings. Violated: ')
  })

  test('a root cause with the source line, the remedy, and the origin of layer and time', () => {
    const context: PageContext = {
      madeAt: '2026-11-30 00:12',
      commit: 'abc1234-dirty',
      digests: new Map([['000-lua-acquire', '0123abcd']]),
      ofReports: ' --reports /elsewhere',
      sourceOf: () => ['one', 'two', 'const receipt = await sink.perform(<x>)', 'four'],
      remedyOf: (instead) => `The remedy of ${instead}.`,
    }
    const sourceLine = { file: 'src/pay.ts', line: 3 }
    const made = results({
      pairs: [broken()],
      findings: [finding('F1', { sourceLine, instead: 'docs/findings/instead.md#a-crash-in-between' })],
      exitCode: 1,
    })
    const text = page(made, [], context)
    expect(text).toContain('<b>&gt; 3  const receipt = await sink.perform(&lt;x&gt;)</b>')
    expect(text).toMatch(/The remedy of docs\/findings\/instead\.md#[a-z-]+\. See docs/)
    expect(text).toContain('000-lua-acquire 0123abcd, plain sink; commit abc1234-dirty; 2026-11-30 00:12 UTC.')
    expect(text).toMatch(/<code class="markdown">### .+\n\n`src\/pay\.ts:3`: [\s\S]+pnpm sim replay op2_F1_/)
    const withLive = (live: RootCause['live'], all = made) =>
      page({ ...all, rootCauses: all.rootCauses.map((root) => ({ ...root, ...(live && { live }) })) }, [], context)
    const breaks = { invariant: 'at-most-once', kind: 'duplicate', key: 'order-1', decidedBy: null } as const
    const live = { token: 'op2_a', replay: 'pnpm sim replay op2_a', scenario: 'eviction', ms: 900, breaks }
    expect(withLive(live)).toContain('pnpm sim replay-live 1 --reports /elsewhere (about 1 s)')
    const findings = [finding('F1'), finding('F1', { implementation: '001-get-set' })]
    expect(withLive(live, results({ pairs: [broken()], findings, exitCode: 1 }))).toContain(
      'pnpm sim replay-live 1 --impl 000-lua-acquire --reports /elsewhere (about 1 s)',
    )
    expect(withLive({ cannot: 'it lasts a day' })).toContain('Not replayable on real servers: it lasts a day.')
    expect(withLive(undefined)).not.toContain('On real servers')
    const beyond = { ...context, sourceOf: () => ['one'] }
    expect(page(made, [], beyond)).not.toContain('class="source"')
    expect(page(made)).not.toContain('class="source"')
  })

  test('the cause of a finding, its scenario, its token, and whether it is shrunk', () => {
    const text = page(muchBroken())
    expect(text).toContain('Path: <code>EVALSHA acquire</code>, <code>GET</code>, <code>SET</code>. ')
    expect(text).toContain('Without slow-sink, it does not break by this step.')
    expect(text).toContain('<td role="cell">shrunk<span class="note">1 fault, 27 events</span></td>')
    expect(count(text, '<td role="cell">not shrunk<')).toBe(3)
    expect(text).toContain('Not shrunk: 3 runs.')
    expect(text).toMatch(/<td role="cell"><div class="token"><code>pnpm sim replay op2_F1_\S+<\/code>/)
    expect(text).toContain('<a href="#pair-000-lua-acquire-crash-mid-logic-plain">crash-mid-logic</a> (5 runs)')
  })

  test('the scenario of a finding as its heading, with the scenario of the shown run if it differs', () => {
    const reported = (scenario: string, drawnIn?: string) => {
      const seenIn = [
        { scenario: 'clock-skew', runs: [3] },
        { scenario: 'everything', runs: [4] },
      ]
      const made = broken({ implementation: '000-lua-acquire', violations: [] })
      return page(
        results({
          pairs: [made],
          findings: [finding('F1', { scenario, seenIn, ...(drawnIn && { drawnIn }) })],
          exitCode: 1,
        }),
      )
    }
    const cheaper = reported('stale-message', 'clock-skew')
    expect(cheaper).toContain('</span> 000-lua-acquire under clock-skew: ')
    expect(cheaper).toContain('The run below is from stale-message, which is cheaper to play, and is not counted here.')
    expect(cheaper).toContain('Seed 7, run 3 of clock-skew, shown in stale-message, plain sink.')
    const there = reported('clock-skew')
    expect(there).toContain('</span> 000-lua-acquire under clock-skew: ')
    expect(there).not.toContain('The run below is from')
    expect(there).toContain('Seed 7, run 3 of clock-skew, plain sink.')
    // Seen there, and shrunk from a run of another scenario.
    expect(reported('everything')).toContain('</span> 000-lua-acquire under everything: ')
    expect(reported('everything', 'clock-skew')).toContain('Seed 7, run 3 of clock-skew, shown in everything, plain')
  })

  test('a pair with links to its findings and the numbers of all violating runs, which replay by seed and number', () => {
    const text = page(muchBroken())
    const pairText = text.slice(text.indexOf('id="pair-000-lua-acquire-data-loss-plain"'))
    expect(pairText).toContain(
      '<a href="#finding-000-lua-acquire-plain-F1">F1 repeat-after-error</a>: at-most-once, in 5 of',
    )
    expect(pairText).toContain('<div class="runs">0-3, 7</div>')
    expect(pairText).toContain(
      'pnpm sim replay --seed 7 --run 312 --impl 000-lua-acquire --scenario data-loss --sink plain',
    )
  })

  test('the bound of a pass only', () => {
    expect(page(results())).toContain('at most 1 in 666 breaks (95 % confidence)')
    expect(page(results({ pairs: [broken()], exitCode: 1 }))).not.toContain('at 95 %')
  })

  test('pairs that were not played, without a verdict', () => {
    const notRun = [{ implementation: 'reference', scenario: 'eviction', sink: 'plain' as const }]
    expect(page(results({ notRun }))).toContain('<li>reference under eviction, plain sink</li>')
    expect(page(results())).not.toContain('Not run')
  })

  test('the basis of a pass: figures, faults, goals with counts or reasons, assumptions', () => {
    const goals = { 'a-request-was-lost': 0, 'a-lease-was-taken-over': 'n/a' } as const
    const goalReasons = { 'a-lease-was-taken-over': 'this layer has no leases' }
    const text = page(results({ pairs: [pair({ goals, goalReasons })] }))
    for (const part of [
      '1,873',
      '31 of 33',
      'duplicate-delivery',
      'never reached',
      'this layer has no leases',
      'one Redis server',
    ])
      expect(text).toContain(part)
  })

  test('the control, with its story open if nothing else broke', () => {
    expect(page(results())).toMatch(/<details class="counterexample"[^>]* open>/)
    expect(page(results())).toContain('The control broke in 2,000 runs: this harness')
    expect(page(results({ control: pair({ implementation: '001-get-set' }) }))).toContain('did not break in 2,000 runs')
  })

  test('every invariant in words', () => {
    for (const name of invariantNames) expect(page(results())).toContain(`<dt>${name}</dt>`)
  })
})
