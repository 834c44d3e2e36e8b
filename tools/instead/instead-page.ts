/** Renders docs/findings/instead.md. The same patterns, prices and texts give the same page. */
import path from 'node:path'
import { catalogue, packageFolder } from '../../src/cli/catalogue.ts'
import { anchorOf } from '../../src/contract/results/heading-anchor.ts'
import type { Pattern } from '../../src/report/patterns-page.ts'
import { type KindText, kindTexts } from './kinds.ts'
import { type Remedied, type Remedy, remedies } from './remedies.ts'
import type { Price } from './round-trips.ts'

/**
 * The sinks for which the price of `onceproof/once` on Redis is measured. On Redis,
 * `onceproof/once` supports no transactional sink.
 */
export const referenceSinks = ['plain', 'keyed', 'fenced'] as const

export interface Measured {
  readonly patterns: readonly Pattern[]
  /**
   * For each pattern, its smallest failing run in docs/findings/patterns.md, by the id of its first
   * adapter.
   */
  readonly smallest: ReadonlyMap<string, { readonly sentence: string; readonly replay: string }>
  /** Prices by adapter; the reference is named `reference <sink>`. */
  readonly prices: ReadonlyMap<string, Price>
}

export function insteadPage(measured: Measured): string {
  const head = [
    '# Use this instead',
    '<!-- Written by `pnpm instead --write`. Edit tools/instead or the adapters instead. -->',
    'If a report sent you here, read its section in [by finding](#by-finding). HTTP middleware has a [guide with a repaired example](../guide/http.md).',
    'The other parts repair each pattern of the [five articles](articles.md) about idempotency layers, 000 to 004. A repair is an adapter of this repository that passes, small enough to copy. Find yours:',
    [
      '- by the pattern that you use: [which one](#which-one)',
      '- by the failing run and the lines to change: [by pattern](#by-pattern)',
    ].join('\n'),
    'Patterns with the same mistake share a repair. A repair holds under fewer conditions than `onceproof/once` ([how](../guide/once.md)). The package also waits for replicas, notices lost data, renews leases, and works on a Cluster.',
  ]
  const sections = [
    ...head,
    '## Which one',
    overview(measured),
    '## By finding',
    ...kindTexts.map(kindSection),
    '## By pattern',
    ...remedies.flatMap((remedy) => remedySection(remedy, measured)),
  ]
  return `${sections.join('\n\n')}\n`
}

function overview({ patterns, prices }: Measured): string {
  const rows = patterns.map(({ article, name, adapters }) => {
    const [first] = adapters
    const remedy = remedies.find((one) => one.patterns.some(({ pattern }) => pattern === first))
    if (remedy === undefined) throw new Error(`${first}: no remedy names it`)
    const cost = `${priceText(prices.get(first!))} | ${priceText(prices.get(remedy.twin))}`
    return `| ${article} | ${name} | [\`${remedy.twin}\`](#${anchorOf(remedy.title)}) | ${sinkTexts[remedy.sink]} | ${cost} |`
  })
  return [
    'A price of `2 + 1, 1` means two round trips to the store (Redis, PostgreSQL or DynamoDB) and one request to the sink for a performed message, and one round trip for its copy. The simulator counts them in a run without faults, with open connections and loaded scripts. The PostgreSQL pattern opens a connection for each delivery, which its price does not include.',
    [
      '| article | pattern | use | before a sink | price of the pattern | price of the repair |',
      '|---|---|---|---|---|---|',
      ...rows,
    ].join('\n'),
    `\`onceproof/once\`: ${referenceSinks.map((sink) => `${priceText(prices.get(`reference ${sink}`))} before a ${sink} sink`).join('; ')}.`,
  ].join('\n\n')
}

const sinkTexts = {
  plain: 'of any kind (`plain`)',
  keyed: 'that deduplicates by key (`keyed`)',
  fenced: 'that checks fences (`fenced`)',
  cancellable: 'that can cancel effects (`cancellable`)',
  transactional: 'that is a table of the same database (`transactional`)',
} as const

function priceText(price: Price | undefined): string {
  if (price === undefined) throw new Error('a price was not measured')
  return `${price.first.store} + ${price.first.sink}, ${price.copy.store}`
}

function kindSection({ title, text, shownBy, more }: KindText): string {
  const shown = shownBy.map((id) => (id === 'reference' ? '`onceproof/once`' : twinLink(id))).join(', ')
  const links = more.map(([words, link]) => `[${words}](${link})`).join(', ')
  return `### ${title}\n\n${text}\n\nShown by ${shown}.${links === '' ? '' : ` More: ${links}.`}`
}

/**
 * A link to the section of a twin. A layer that is not a twin has no section, so the link leads to
 * its file.
 */
function twinLink(id: string): string {
  const remedy = remedies.find(({ twin }) => twin === id)
  return `[\`${id}\`](${remedy === undefined ? linkTo(id) : `#${anchorOf(remedy.title)}`})`
}

function remedySection(remedy: Remedy, measured: Measured): string[] {
  const { twin, title, sink, idea, assumes, costs, decisive, also } = remedy
  const price = measured.prices.get(twin)
  const played = [...decisive, ...also].length
  return [
    `### ${title}`,
    `[\`${twin}\`](${linkTo(twin)}), before a sink ${sinkTexts[sink]}. ${idea}`,
    `**Price.** ${priceText(price)}. ${costs}`,
    `**Still assumed.**\n\n${assumes.map((one) => `- ${one}`).join('\n')}`,
    `**Played.** A test plays 250 runs each of ${decisive.map((id) => `\`${id}\``).join(' and ')}: the repair passes, and every pattern below breaks. The repair passes in ${played} scenarios:`,
    ['```', `pnpm sim --impl ${twin} --sink ${sink} --runs 250 \\`, ...wrapped([...decisive, ...also]), '```'].join(
      '\n',
    ),
    ...remedy.patterns.map((one) => patternSection(one, measured)),
  ]
}

/**
 * The relative path to the adapter's file.
 * @throws Error if the catalogue has no such adapter
 */
export function linkTo(id: string): string {
  const entry = catalogue('implementation').find((one) => one.id === id)
  if (entry === undefined) throw new Error(`${id}: there is no such adapter`)
  return `../../${path.relative(packageFolder, entry.path)}`
}

/** Four options on each line, to keep the page readable. */
function wrapped(scenarios: readonly string[]): string[] {
  const lines = Array.from({ length: Math.ceil(scenarios.length / 4) }, (_, at) =>
    scenarios.slice(4 * at, 4 * at + 4).map((id) => `--scenario ${id}`),
  )
  return lines.map((line, at) => `  ${line.join(' ')}${at < lines.length - 1 ? ' \\' : ''}`)
}

function patternSection({ pattern, changes }: Remedied, { patterns, smallest }: Measured): string {
  const { article, name } = patterns.find(({ adapters }) => adapters[0] === pattern)!
  const found = smallest.get(pattern)
  if (found === undefined) throw new Error(`${pattern}: docs/findings/patterns.md has no run of it`)
  return [
    `#### ${article}: ${name}`,
    `${found.sentence}:`,
    ['```', found.replay, '```'].join('\n'),
    ['| it does | instead |', '|---|---|', ...changes.map(([is, instead]) => `| ${is} | ${instead} |`)].join('\n'),
  ].join('\n\n')
}
