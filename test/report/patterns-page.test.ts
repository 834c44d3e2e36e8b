import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { catalogue, packageFolder } from '../../src/cli/catalogue.ts'
import { readPatterns } from '../../src/cli/patterns.ts'
import { ablationTablesOf } from '../../src/report/ablation-tables.ts'
import { patternsPage } from '../../src/report/patterns-page.ts'
import { shortStory } from '../../src/report/short-story.ts'
import { broken, pair, results, violation } from './made-up-results.ts'

const pattern = {
  article: '001',
  name: 'get/set',
  adapters: ['001-get-set'],
  claims: 'none: shown as the flawed first try',
  holdsIf: 'One consumer alone.',
}

describe('the page of the patterns in the articles', () => {
  test('has the claim of a pattern, its violation, the replay command and the requirement', () => {
    const text = patternsPage([pattern], results({ pairs: [broken()] }))
    for (const part of [
      '## 001: get/set',
      'None: shown as the flawed first try.',
      'one effect happened twice, with 1 fault',
      'fault: consumer-2 is killed before its effect is applied',
      'pnpm sim replay op2_Zm9vYmFyYmF6cXV4',
      'One consumer alone.',
      '| `001-get-set` | broken in 1 of 1 | not run |',
      '- `001-get-set`, plain sink: repeat-after-crash',
    ])
      expect(text).toContain(part)
  })

  test('shows the smallest run of the most severe violation', () => {
    const late = violation({ invariant: 'bounded-stall', kind: 'retry-goes-on', faultCount: 0, replay: 'late' })
    const twice = (faultCount: number) => violation({ faultCount, replay: `twice with ${faultCount}` })
    const pairs = [broken({ violations: [late, twice(2)] }), broken({ violations: [twice(1)] })]
    const text = patternsPage([pattern], results({ pairs }))
    expect(text).toContain('twice with 1')
    expect(text).not.toContain('twice with 2')
    expect(text).not.toMatch(/^late$/m)
  })

  test('shows a lost record only if nothing else broke the pattern', () => {
    const loss = violation({ kind: 'repeat-after-loss:restart', faultCount: 0, replay: 'after a loss' })
    const crash = violation({ faultCount: 2, replay: 'after a crash' })
    expect(
      patternsPage([pattern], results({ pairs: [broken({ violations: [loss] }), broken({ violations: [crash] })] })),
    ).toMatch(/^after a crash$/m)
    expect(patternsPage([pattern], results({ pairs: [broken({ violations: [loss] })] }))).toMatch(/^after a loss$/m)
  })

  test('begins with the ablation table if it was played, and uses pure scenarios nowhere else', () => {
    const pure = pair({ implementation: '001-get-set', scenario: 'only-crashes', onlyFaults: ['crash'], runs: 250 })
    const steps = [{ step: 'naive', implementation: '001-get-set' }]
    const tables = ablationTablesOf(
      [
        { name: 'steps', steps },
        { name: '001', steps },
        { name: 'others', steps },
      ],
      { pairs: [pure] },
      [],
    )
    const text = patternsPage([pattern], results({ pairs: [broken(), pure], ladders: tables }))
    expect(text.indexOf('## What each step gains')).toBeLessThan(text.indexOf('## 001: get/set'))
    expect(text.match(/^\| naive \| `001-get-set` \| ✓ 250 \| the result \|$/gm)).toHaveLength(2)
    expect(text).toContain('| adapter | `only-crashes` | a duplicate gets |\n|---|---|---|\n| `001-get-set` | ✓ 250 |')
    expect(text).toContain('| `001-get-set` | broken in 1 of 1 | not run |')
    expect(text).toContain('run under 1 scenarios, 2,000 runs in all')
  })

  test('has another table for suggestions on another sink or on several servers', () => {
    const pure = pair({ implementation: '001-outbox', scenario: 'only-crashes', onlyFaults: ['crash'], runs: 250 })
    const steps = [{ step: '001-outbox', implementation: '001-outbox' }]
    const plans = ['steps', 'others'].map((name) => ({ name, steps }))
    const played = (...pairs: ReturnType<typeof pair>[]) =>
      patternsPage(
        [pattern],
        results({ pairs: [pure, ...pairs], ladders: ablationTablesOf(plans, { pairs: [pure] }, []) }),
      )
    const text = played(
      broken({ implementation: '002-redlock-on-five', scenario: 'quorum-of-five' }),
      pair({ implementation: '000-unique-index', scenario: 'refused-rows', sink: 'transactional' }),
      pair({ implementation: '001-outbox', scenario: 'lost-reply' }),
    )
    expect(text).toContain('| adapter | plain sink: scenarios | transactional sink: scenarios | result |')
    expect(text).toContain('| `002-redlock-on-five` | broken in 1 of 1 | not run |')
    expect(text).toContain('| `000-unique-index` | not run | holds in 1 |')
    expect(text).not.toContain('| `001-outbox` | holds')
    expect(played()).not.toContain('The other steps')
  })

  test('counts only the runs of the patterns', () => {
    const beside = pair({ implementation: 'reference', scenario: 'late-crash', runs: 9000 })
    const text = patternsPage([pattern], results({ pairs: [broken(), beside] }))
    expect(text).toContain(patternsPage([pattern], results({ pairs: [broken()] })).split('\n\n')[2]!)
    expect(text).not.toContain('9,000')
  })

  test('has a sentence if nothing broke', () => {
    const pairs = [pair({ implementation: '001-get-set' })]
    expect(patternsPage([pattern], results({ pairs }))).toContain('Nothing in 2,000 runs.')
  })

  test('is the same for the same results', () => {
    const once = patternsPage([pattern], results({ pairs: [broken()] }))
    expect(patternsPage([pattern], results({ pairs: [broken()], timings: { totalMs: 9 } }))).toBe(once)
  })
})

describe('a short story', () => {
  test('keeps the effects and the faults, in order, in at most six lines', () => {
    const lines = shortStory(violation())
    expect(lines.length).toBeLessThanOrEqual(6)
    expect(lines.filter((line) => line.includes('the sink applies'))).toHaveLength(2)
    expect(lines.some((line) => line.includes('fault: '))).toBe(true)
    expect(lines).toEqual(violation().story.filter((line) => lines.includes(line)))
  })

  test('keeps a jump of a clock that is right again', () => {
    const jumps = '18.7 ms  healed: the clock of redis jumps back'
    const asked = Array.from({ length: 9 }, (_, at) => `${at + 20} ms  Redis executes GET k for consumer-1: nil`)
    expect(shortStory({ story: [jumps, ...asked] })).toContain(jumps)
  })
})

describe('the committed page of patterns', () => {
  const adapters = catalogue('implementation')
    .filter(({ path }) => path.includes('/implementations/articles/'))
    .map(({ id }) => id)

  test('has every adapter of an article in one row, and only existing adapters', () => {
    const named = readPatterns().flatMap((one) => one.adapters)
    expect([...named].sort()).toEqual([...adapters].sort())
  })

  test('has a replay command for every pattern in docs/findings/patterns.md', () => {
    const text = fs.readFileSync(`${packageFolder}docs/findings/patterns.md`, 'utf8')
    for (const id of adapters) expect(text).toContain(`| \`${id}\` |`)
    expect(text.match(/^pnpm sim replay \S+$/gm)).toHaveLength(readPatterns().length)
  })
})
