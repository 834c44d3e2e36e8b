import { describe, expect, test } from 'vitest'
import type {
  ConfigurationSearchCell,
  ConfigurationSearchLayer,
  ConfigurationSearchResults,
} from '../../src/contract/results/configuration-search.ts'
import type { CampaignViolation } from '../../src/contract/results/results.ts'
import { configurationSearchDocument } from '../../src/report/configuration-search-document.ts'
import { configurationSearchLines, configurationSearchSummary } from '../../src/report/configuration-search-lines.ts'
import { safetyOf, smallestByLoss } from '../../src/report/configuration-search-summary.ts'
import { shortKind } from '../../src/report/labels.ts'
import { configurationSearchPage } from '../../src/report/page/configuration-search.ts'
import { escaped } from '../../src/report/page/html.ts'
import { broken, pair, violation } from './made-up-results.ts'
import { expectLinksThatLead } from './page/links.ts'

const heads = {
  configurations: [
    { id: 'one', title: 'one server', about: 'one server' },
    { id: 'many', title: 'Sentinel', about: 'a primary and replicas' },
  ],
  losses: [
    { id: 'killed', title: 'killed and back', about: 'It dies.' },
    { id: 'cut', title: 'split brain', about: 'It is cut off.' },
  ],
}
const where = (configuration: string, loss: string) => ({ configuration, loss })
const holds = (configuration: string, loss: string): ConfigurationSearchCell => ({
  ...where(configuration, loss),
  verdict: 'holds',
  reason: null,
  violation: null,
  pair: pair({ scenario: `frontier/${configuration}/${loss}` }),
})
const breaks = (
  configuration: string,
  loss: string,
  changes: Partial<CampaignViolation> = {},
): ConfigurationSearchCell => {
  const found = violation(changes)
  const reported = broken({ scenario: `frontier/${configuration}/${loss}`, violations: [violation(), found] })
  return { ...where(configuration, loss), verdict: 'breaks', reason: found.sentence, violation: found, pair: reported }
}
const nothing: ConfigurationSearchCell = {
  ...where('one', 'cut'),
  verdict: 'n/a',
  reason: 'no replica to promote',
  violation: null,
  pair: null,
}
const unknown: ConfigurationSearchCell = {
  ...holds('many', 'cut'),
  verdict: 'unknown',
  reason: 'not reached in 20 runs: x',
  pair: pair({ verdict: 'unknown', reason: 'x' }),
}
const layer = (
  cells: ConfigurationSearchCell[],
  changes: Partial<ConfigurationSearchLayer> = {},
): ConfigurationSearchLayer => ({
  implementation: 'mine',
  expect: 'holds',
  cells,
  safeOn: [],
  weakest: null,
  weakestFor: {},
  ...changes,
})
const results = (
  layers: ConfigurationSearchLayer[],
  changes: Partial<ConfigurationSearchResults> = {},
): ConfigurationSearchResults => ({
  schemaVersion: 1,
  tool: 'onceproof',
  node: 'v20',
  seed: 1,
  sink: 'plain',
  interrupted: false,
  exitCode: 0,
  ...heads,
  layers,
  control: null,
  timings: { totalMs: 1, workers: 1 },
  ...changes,
})
const mixed = layer([
  breaks('one', 'killed', { kind: 'repeat-after-loss:restart', replay: 'pnpm sim replay op2_one' }),
  nothing,
  holds('many', 'killed'),
  unknown,
])

describe('the phrases of a configuration search', () => {
  test('name the Redis on which a layer is safe', () => {
    const all = layer([holds('one', 'killed'), holds('many', 'killed')], { safeOn: ['one', 'many'], weakest: 'one' })
    expect(safetyOf(all, heads)).toBe('safe on all of these Redis deployments')
    const some = layer([breaks('one', 'killed'), holds('many', 'killed')], { safeOn: ['many'], weakest: 'many' })
    expect(safetyOf(some, heads)).toBe('weakest Redis that is safe: Sentinel; on no other')
    const most = { ...heads, configurations: [...heads.configurations, { id: 'more', title: 'more', about: 'more' }] }
    const two = layer([breaks('one', 'killed'), holds('many', 'killed'), holds('more', 'killed')], {
      safeOn: ['many', 'more'],
      weakest: 'many',
    })
    expect(safetyOf(two, most)).toBe('safe on all of these Redis deployments except: one server')
    expect(safetyOf(layer([breaks('one', 'killed')]), heads)).toBe('not safe on any of these Redis deployments')
    expect(safetyOf(mixed, heads)).toBe('not shown to be safe on any of these Redis deployments')
  })

  test('describe the violation in a word', () => {
    expect(shortKind(violation({ kind: 'repeat-after-loss:failover' }))).toBe('failover')
    expect(shortKind(violation({ kind: 'repeat-after-crash' }))).toBe('crash')
    expect(shortKind(violation({ invariant: 'bounded-stall', kind: 'retry-goes-on' }))).toBe('bounded-stall')
  })

  test('show for a column the run with a loss before a smaller one without', () => {
    const big = breaks('many', 'killed', { kind: 'repeat-after-loss:restart', faultCount: 3 })
    const [reported] = smallestByLoss(layer([breaks('one', 'killed', { faultCount: 0 }), big]), heads)
    expect(reported!.configuration).toBe('many')
  })
})

describe('the terminal', () => {
  const lines = configurationSearchLines(mixed, heads, { colours: false })

  test('has a row for each Redis and a cell for each loss', () => {
    expect(lines.slice(1, 5)).toEqual([
      '      killed     split',
      '      and back   brain',
      'one   ✕ restart  –',
      'many  ✓ 2,000    ? unknown',
    ])
  })

  test('has the token of a violation, and the reason of a missing verdict', () => {
    expect(lines).toContain('replay: pnpm sim replay op2_one')
    expect(lines).toContain('? cut on many: not reached in 20 runs: x')
  })

  test('ends with a summary', () => {
    expect(configurationSearchSummary(results([mixed], { exitCode: 4 }), { colours: false })).toBe(
      '4 cells: 1 holds, 1 breaks, 1 unknown, 1 n/a; some cells have no verdict (seed 1)',
    )
  })
})

describe('the page', () => {
  test('links every cell to its violation', () => {
    const text = configurationSearchPage(
      results([mixed, layer([holds('one', 'killed'), nothing], { implementation: 'other' })]),
    )
    expect(expectLinksThatLead(text).length).toBeGreaterThan(2)
    expect(text).toContain('repeat-after-loss:restart')
    expect(text).toContain('no replica to promote')
  })

  test('escapes names of layers', () => {
    const text = configurationSearchPage(
      results([layer([holds('one', 'killed'), nothing], { implementation: '<img src=x>' })]),
    )
    expect(text).not.toContain('<img')
    expect(text).toContain(escaped('<img src=x>'))
  })
})

describe('the Markdown page', () => {
  test('has the table, the weakest of each column, and what to replay', () => {
    const text = configurationSearchDocument(results([{ ...mixed, weakestFor: { killed: 'many', cut: null } }]))
    expect(text).toContain('| one server | **✕ restart** | – |')
    expect(text).toContain('| Sentinel | ✓ 2,000, 3/3 | ? (2,000) |')
    expect(text).toContain('| *weakest Redis that survives this* | *Sentinel* | *none* |')
    expect(text).toContain('pnpm sim replay op2_one')
    expect(text).toContain('- `many`, cut: not reached in 20 runs: x')
  })
})

describe('the guarantees of a layer beside Redis deployments', () => {
  const reported = configurationSearchPage(
    results([layer([holds('one', 'killed'), nothing, breaks('many', 'killed'), holds('many', 'cut')])]),
  )

  test('have the number of losses that break each one, with a link to a story', () => {
    expect(reported).toMatch(/<td class="grave"><a class="cell" href="#broke-[^"]+"><span aria-hidden="true">1<\/span>/)
    expect(reported).toContain('Sentinel: at-most-once is broken by killed and back')
  })

  test('have the number of runs in which the others held', () => {
    expect(reported).toContain('one server: at-most-once held in 2,000 runs')
    expect(reported).toContain('Sentinel: no-lost-message held in 4,000 runs')
  })

  test('leave out a pair that held without reaching its goals', () => {
    const invariants = { 'at-most-once': { verdict: 'valid', runsViolated: 0 } } as const
    const short = { ...unknown, pair: pair({ verdict: 'unknown', reason: 'x', invariants }) }
    const reported = configurationSearchPage(
      results([layer([holds('one', 'killed'), nothing, holds('many', 'killed'), short])]),
    )
    expect(reported).toContain('Sentinel: no verdict on at-most-once')
    expect(reported).not.toContain('Sentinel: at-most-once held')
    expect(reported).toContain('one server: at-most-once held in 2,000 runs')
  })
})
