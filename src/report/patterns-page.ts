/**
 * The page of the articles' patterns as Markdown: for each pattern, its claim, what breaks it, and
 * what would have to be true. Equal results and tables give equal pages.
 */

import { invariantDoc } from '../check/docs.ts'
import { type SinkKind, sinkKinds } from '../contract/api/sink.ts'
import { anchorOf } from '../contract/results/heading-anchor.ts'
import type { AblationTable, Finding, PairResult, Results } from '../contract/results/results.ts'
import { ablationMarkdown } from './ablation-lines.ts'
import { type Break, breakOf } from './break.ts'
import { capital, counted, grouped, worstOf } from './figures.ts'
import { requirementsOf } from './requirements.ts'
import { shortStory } from './short-story.ts'

/** A pattern of docs/findings/articles.md with its adapters. */
export interface Pattern {
  readonly article: string
  readonly name: string
  readonly adapters: readonly string[]
  readonly claims: string
  readonly holdsIf: string
}

/**
 * The counterexample to show: the smallest with the most severe invariant on a plain sink. Lost
 * records explain least about a pattern, because all patterns rely on their records. So a violation
 * by lost records is shown only if there is no other.
 */
function smallest(pairs: readonly PairResult[], findings: readonly Finding[]): Break | undefined {
  const found = pairs.flatMap((pair) => {
    const violation = pair.sink === 'plain' ? worstOf(pair) : undefined
    return violation === undefined ? [] : [breakOf(findings, pair, violation)]
  })
  const twice = found.filter(({ cause }) => cause.invariant === 'at-most-once')
  const size = ({ cause, faultCount, eventCount }: Break) =>
    (cause.kind.startsWith('repeat-after-loss') ? 1_000_000 : 0) + faultCount * 10_000 + eventCount
  return (twice.length > 0 ? twice : found).sort((a, b) => size(a) - size(b))[0]
}

function breaks(found: Break | undefined, pairs: readonly PairResult[]): string[] {
  const runs = pairs.reduce((sum, pair) => sum + pair.runs, 0)
  if (found === undefined) return [`**What breaks it.** Nothing in ${counted(runs, 'run')}.`]
  const { implementation, scenario, faultCount, seed, run, replay, sentence, shrunk } = found
  const { invariant, kind } = found.cause
  const cause = faultCount === 0 ? 'no fault at all' : counted(faultCount, 'fault')
  const size = shrunk ? 'shrunk' : 'not shrunk'
  return [
    `**What breaks it.** ${capital(sentence)}. That is \`${invariant}\` (${kind}): ${invariantDoc(invariant).broken}, with ${cause}. Found by \`${implementation}\` under \`${scenario}\`, seed ${seed}, run ${grouped(run)}, ${size}:`,
    ['```', ...shortStory(found), '```'].join('\n'),
    ['```', replay, '```'].join('\n'),
  ]
}

function row(adapter: string, sinks: readonly SinkKind[], pairs: readonly PairResult[]): string {
  const ofIt = pairs.filter(({ implementation }) => implementation === adapter)
  const on = (sink: SinkKind): string => {
    const cells = ofIt.filter((pair) => pair.sink === sink)
    const broken = cells.filter(({ verdict }) => verdict === 'violated')
    if (cells.length === 0) return 'not run'
    return broken.length === 0 ? `holds in ${cells.length}` : `broken in ${broken.length} of ${cells.length}`
  }
  return `| \`${adapter}\` | ${sinks.map(on).join(' | ')} | ${ofIt.length === 0 ? '' : requirementsOf(ofIt)} |`
}

/**
 * A line for each adapter and sink about how it breaks, which is too long for the cells of a table.
 */
function kindLines(adapters: readonly string[], pairs: readonly PairResult[]): string[] {
  const lines = adapters.flatMap((adapter) =>
    sinkKinds.flatMap((sink) => {
      const kinds = pairs.flatMap((pair) =>
        pair.implementation === adapter && pair.sink === sink && pair.verdict === 'violated'
          ? (worstOf(pair)?.kind ?? [])
          : [],
      )
      const reported = [...new Set(kinds)].sort().join(', ')
      return reported === '' ? [] : [`- \`${adapter}\`, ${sink} sink: ${reported}`]
    }),
  )
  return lines.length === 0 ? [] : [`How it breaks:\n\n${lines.join('\n')}`]
}

/**
 * The columns of a table of sinks. A pattern without results on a transactional sink lacks that
 * column.
 */
const columns: readonly SinkKind[] = ['plain', 'keyed', 'transactional']

function sinkTable(adapters: readonly string[], sinks: readonly SinkKind[], pairs: readonly PairResult[]): string[] {
  const rows = [
    `| adapter | ${sinks.map((kind) => `${kind} sink: scenarios`).join(' | ')} | result |`,
    `|---|${'---|'.repeat(sinks.length)}---|`,
    ...adapters.map((adapter) => row(adapter, sinks, pairs)),
  ]
  return [rows.join('\n'), ...kindLines(adapters, pairs)]
}

function section(pattern: Pattern, all: readonly PairResult[], findings: readonly Finding[]): string {
  const pairs = all.filter(({ implementation }) => pattern.adapters.includes(implementation))
  const sinks = columns.filter((kind) => kind !== 'transactional' || pairs.some(({ sink }) => sink === kind))
  return [
    `## ${pattern.article}: ${pattern.name}`,
    `**What the article claims.** ${capital(pattern.claims)}.`,
    ...breaks(smallest(pairs, findings), pairs),
    `**Condition.** ${pattern.holdsIf}`,
    ...sinkTable(pattern.adapters, sinks, pairs),
  ].join('\n\n')
}

/** The results of each step: first over all articles, then article by article. */
function stepSections(tables: readonly AblationTable[], others: readonly PairResult[]): string[] {
  const [all] = tables.filter(({ name }) => name === 'steps')
  const articles = tables.filter(({ name }) => /^\d+$/.test(name))
  const suggested = tables.find(({ name }) => name === 'others')
  if (all === undefined) return []
  return [
    [
      '## What each step gains',
      'Each column is a scenario with faults of one kind only ([scenarios](../reference/scenarios.md)). Effects reach a plain sink. `pnpm sim matrix --steps` plays only these tables. A cell is one of these:',
      [
        '- `✓ 60`: nothing broke in 60 runs.',
        '- `✗ duplicate (3)`: it broke in this way, in the third run.',
        '- `✗ duplicate (3), even without a fault`: the scenario breaks it without its faults, too.',
        '- `?`: no verdict, because some runs could not be finished or no run reached the states that the scenario tests.',
      ].join('\n'),
      'Each row adds something to a consumer, in the words of the articles:',
      ablationMarkdown(all),
    ].join('\n\n'),
    [
      '### Article by article',
      ...articles.map((one) => [`Article ${one.name}:`, ablationMarkdown(one)].join('\n\n')),
    ].join('\n\n'),
    ...(suggested === undefined ? [] : suggestions(suggested, others)),
  ]
}

/** The played layers that implement steps which the articles mention without code. */
function suggestions(table: AblationTable, others: readonly PairResult[]): string[] {
  const elsewhere = [...new Set(others.map(({ implementation }) => implementation))].sort()
  const sinks = sinkKinds.filter((kind) => others.some(({ sink }) => sink === kind))
  return [
    '### What they suggest and do not print',
    'These further steps of the articles ([list](articles.md#what-they-suggest-and-do-not-print)) can use a plain sink and one server. An empty cell is a scenario about stores that the layer does not use.',
    ablationMarkdown(table),
    ...(elsewhere.length === 0
      ? []
      : ['The other steps, under the scenarios that can play them:', ...sinkTable(elsewhere, sinks, others)]),
  ]
}

export function patternsPage(
  patterns: readonly Pattern[],
  { pairs: all, findings, ladders: tables = [], seed }: Results,
): string {
  const adapters = new Set(patterns.flatMap((pattern) => pattern.adapters))
  const mixed = all.filter((pair) => pair.onlyFaults === undefined)
  const pairs = mixed.filter((pair) => adapters.has(pair.implementation))
  const shown = new Set([...adapters, ...tables.flatMap(({ steps }) => steps.map((step) => step.implementation))])
  const others = mixed.filter((pair) => !shown.has(pair.implementation))
  const scenarios = [...new Set(pairs.map(({ scenario }) => scenario))]
  const runs = pairs.reduce((sum, pair) => sum + pair.runs, 0)
  const head = [
    '# What breaks each pattern',
    '<!-- Written by `pnpm sim matrix --write-docs docs/findings/patterns.md`. Edit docs/findings/articles.md or the adapters instead. -->',
    `Five articles show these patterns. Each was rebuilt as it stands ([how](articles.md)) and run under ${scenarios.length} scenarios, ${grouped(runs)} runs in all, with seed ${seed}. Every command on this page replays its run, event by event.`,
    [
      '- The runs of a layer under a scenario end with the first effect that happens twice. So they may miss other ways to break.',
      '- A `keyed` sink answers a second request for a key with the first receipt, so no effect happens twice there. Each break on a `keyed` sink is a mistake of the layer.',
    ].join('\n'),
    'The patterns:',
    patterns.map(linkTo).join('\n'),
  ].join('\n\n')
  return `${[head, ...stepSections(tables, others), ...patterns.map((pattern) => section(pattern, pairs, findings))].join('\n\n')}\n`
}

/** A link to a pattern's section. */
const linkTo = ({ article, name }: Pattern): string => {
  const heading = `${article}: ${name}`
  return `- [${heading}](#${anchorOf(heading)})`
}
