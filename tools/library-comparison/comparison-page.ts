/**
 * docs/findings/library-comparison.md as Markdown: the libraries and their results. The same facts
 * and results give the same page.
 */
import type { Results, ViolationResult } from '../../src/contract/results/results.ts'
import { counted, grouped } from '../../src/report/figures.ts'
import { type Asked, allAsked, questions } from './asked.ts'
import { type Cell, cellOf } from './cells.ts'
import type { LibraryFacts } from './library-facts.ts'

/**
 * `facts`: of all adapters. `results`: of a matrix. @throws if a library broke and its header does
 * not explain that
 */
export function comparisonPage(
  facts: readonly LibraryFacts[],
  results: Pick<Results, 'pairs' | 'seed'>,
  runs: number,
  whyOf: WhyOf,
): string {
  const rows = facts.map((library) => rowOf(library, results, whyOf))
  return `${[head(rows, results, runs), table(rows), ...rows.map(section)].join('\n\n')}\n`
}

/** The cause of a break in one clause; null if it is unknown. */
/** `impl`: the library's name on the command line. */
type WhyOf = (violation: ViolationResult, impl: string) => string | null

interface Row {
  readonly library: LibraryFacts
  readonly cells: ReadonlyMap<Asked, Cell>
  /** Why it broke; absent if it did not, or if the cause is unknown. */
  readonly whys: ReadonlyMap<Asked, string>
}

function rowOf(library: LibraryFacts, results: Pick<Results, 'pairs'>, whyOf: WhyOf): Row {
  const cells = new Map(allAsked.map((asked) => [asked, cellOf(results, library.id, asked)]))
  const whys = new Map<Asked, string>()
  for (const [asked, cell] of cells) {
    const why = cell.fate === 'broke' ? whyOf(cell.by, library.impl) : null
    if (why !== null) whys.set(asked, why)
  }
  return { library, cells, whys }
}

function head(rows: readonly Row[], { seed }: Pick<Results, 'seed'>, runs: number): string {
  const asked = Object.entries(questions).map(([title, scenario]) => `${title} is \`${scenario}\``)
  return [
    '# Comparison of real libraries',
    '<!-- Written by `pnpm library-comparison --write`. Edit the headers in implementations/third-party/ instead. -->',
    `What ${rows.length} adapters on libraries from npm, and on one for Python from Debian 12, do when one thing goes wrong. Each library has one exact version, its documented defaults, and no repair. Its adapter is in \`implementations/third-party/\`; the header says what the library promises, and where.`,
    'In Python it is `redis.lock.Lock`, which runs as a program ([the protocol](../guide/other-languages.md)). A Python library for idempotency is not among them: Debian 12 has none, and no other source was asked.',
    `Read it fairly. Some of these libraries are locks. A lock promises that two do not work at once while it lasts. It does not promise that work happens once. So an adapter of a lock does what such a library's users do: under the lock it looks for a mark, has the effect, and sets the mark. The mark is ours.`,
    [
      'Effects reach a plain sink. A cell has one of these:',
      '',
      `- \`✓ ${runs}\`: nothing broke in that many runs with seed ${seed}. That is no proof.`,
      '- `✗ zombie`: it broke in that way, against what its documentation promises.',
      '- `✗ zombie °`: it broke in that way, and the scenario goes beyond what its documentation assumes.',
      '- `a`, `b`, … behind it: in one column, cells with one letter broke for one reason, which their sections say. Versions that break in one way for other reasons have other letters.',
      '- `?`: no verdict; the reason is below.',
      '- `n/a`: the library, as it is documented, cannot use that shape of Redis.',
    ].join('\n'),
    `The columns: ${asked.join(', ')}. "keys" says whether Redis was left with something for ever in any of them. In all but \`${questions.loss}\` only faults of that kind happen ([scenarios](../reference/scenarios.md)). \`${questions.loss}\` mixes lost data with crashes and copies. Each command below replays its run, event by event. Runs are as they were drawn: not all of their faults are needed. Where a run tells why it broke, that stands behind its faults.`,
  ].join('\n\n')
}

function table(rows: readonly Row[]): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`
  const titles = ['adapter', ...allAsked]
  const reasons = new Map(allAsked.map((asked) => [asked, [...new Set(rows.flatMap((row) => reasonOf(row, asked)))]]))
  return [
    line(titles),
    `|${'---|'.repeat(titles.length)}`,
    ...rows.map((row) => {
      const { library, cells } = row
      const texts = allAsked.map((asked) => {
        const [letter = ''] = reasonOf(row, asked).map((one) => ` ${letters[reasons.get(asked)!.indexOf(one)]}`)
        return `${cellText(library, asked, cells.get(asked)!)}${letter}`
      })
      return line([`[\`${library.id}\`](#${library.id})`, ...texts])
    }),
  ].join('\n')
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Replaces durations, because the length of a lease is drawn for each run. */
const reasonOf = ({ whys }: Row, asked: Asked): string[] =>
  [whys.get(asked) ?? []].flat().map((why) => why.replaceAll(/\d[\d,.]* ?(ms|s|min|h|days?)\b/g, '…'))

function cellText(library: LibraryFacts, asked: Asked, cell: Cell): string {
  if (cell.fate === 'n/a') return 'n/a'
  if (cell.fate === 'unknown') return '?'
  if (asked === 'keys') return cell.fate === 'held' ? 'none' : `✗ ${mark(library, asked)}`.trimEnd()
  if (cell.fate === 'held') return `✓ ${grouped(cell.runs)}`
  return `✗ ${cell.by.kind} ${mark(library, asked)}`.trimEnd()
}

const mark = (library: LibraryFacts, asked: Asked): string => (leftOf(library, asked).beyond ? '°' : '')

function leftOf({ id, left }: LibraryFacts, asked: Asked) {
  const found = left.find((one) => one.asked === asked)
  if (found === undefined) throw new Error(`${id}: it broke when asked for ${asked}, and "Left:" does not say why`)
  return found
}

function section({ library, cells, whys }: Row): string {
  const { id, packages, promises, saidIn, used } = library
  const broken = allAsked.flatMap((asked) => detail(library, asked, cells.get(asked)!, whys.get(asked)))
  return [
    `## ${id}`,
    `${packages.join(', ')}.`,
    `**Promises.** ${promises}`,
    `**Said in.** ${saidIn}`,
    `**Used.** ${used}`,
    ...(broken.length === 0 ? ['Nothing broke.'] : broken),
  ].join('\n\n')
}

function detail(library: LibraryFacts, asked: Asked, cell: Cell, why: string | undefined): string[] {
  if (cell.fate === 'unknown') return [`**${asked}**: no verdict. ${cell.reason}`]
  if (cell.fate !== 'broke') return []
  const { invariant, kind, run, faultCount, needsNoFault, replay } = cell.by
  const { beyond, sentence } = leftOf(library, asked)
  const because = why === undefined ? '' : `: ${why}`
  const faults = needsNoFault || faultCount === 0 ? 'even without a fault' : `with ${counted(faultCount, 'fault')}`
  return [
    `**${asked}**: \`${invariant}\` (${kind}) in run ${grouped(run + 1)}, ${faults}${because}. ${beyond ? 'Beyond its documentation' : 'Against its documentation'}: ${sentence}`,
    ['```', replay, '```'].join('\n'),
  ]
}
