/**
 * Renders docs/findings/library-comparison.md: the libraries and their results. The same facts and
 * results give the same page.
 */
import type { Results, ViolationResult } from '../../src/contract/results/results.ts'
import { counted, grouped } from '../../src/report/figures.ts'
import { type Asked, allAsked, questions } from './asked.ts'
import { type Cell, cellOf } from './cells.ts'
import type { LibraryFacts } from './library-facts.ts'

/**
 * `facts`: the facts of all adapters. `results`: the results of a matrix.
 * @throws if a library broke and its header does not explain why
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

/**
 * The cause of a break in one clause; null if it is unknown. `impl`: the library's name on the
 * command line.
 */
type WhyOf = (violation: ViolationResult, impl: string) => string | null

interface Row {
  readonly library: LibraryFacts
  readonly cells: ReadonlyMap<Asked, Cell>
  /**
   * For each question, why the library broke; absent if it did not break, or if the cause is
   * unknown.
   */
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
  return [
    '# Comparison of real libraries',
    '<!-- Written by `pnpm library-comparison --write`. Edit the headers in implementations/third-party/ instead. -->',
    `This page plays ${rows.length} adapters of real libraries against one kind of fault at a time. Each library has one exact version, its documented defaults, and no repair. The table has the results, and each library has a section with its promises, its breaks and commands that replay them.`,
    'Many of these libraries are locks. A lock promises that no two holders work at once while it lasts. It does not promise that work happens once. So an adapter of a lock does what users of a lock do: under the lock it looks for a mark, performs the effect, and sets the mark. The library does not provide this mark.',
    'The adapters are in `implementations/third-party/`. The header of each file says what the library promises, and where. All libraries are from npm, except `redis.lock.Lock` for Python from Debian 12, which runs as a program ([the protocol](../guide/other-languages.md)). Debian 12 has no Python library for idempotency, and no other source was searched.',
    [
      'Effects reach a plain sink. A cell of the table is one of these:',
      '',
      `- \`✓ ${runs}\`: nothing broke in that many runs with seed ${seed}, which proves nothing.`,
      '- `✗ zombie`: it broke in this way, against the promises of its documentation.',
      '- `✗ zombie °`: it broke in this way, and the scenario goes beyond the assumptions of its documentation.',
      '- `a`, `b`, … after a break: cells of one column with the same letter broke for the same reason, which their sections give. Versions that break in one way for other reasons have other letters.',
      '- `?`: no verdict, for the reason in the section.',
      '- `n/a`: as documented, the library cannot use this deployment of Redis.',
    ].join('\n'),
    [
      'Each column is a [scenario](../reference/scenarios.md):',
      '',
      ...Object.entries(questions).map(([title, scenario]) => `- ${title}: \`${scenario}\``),
      '- keys: whether any of these scenarios left a key without expiry in Redis',
    ].join('\n'),
    `\`${questions.loss}\` mixes lost data with crashes and copies. The other scenarios have faults of one kind only. Each command below replays its run, event by event. Runs are not shrunk, so not all of their faults are needed. If the cause of a break is known, it follows the number of faults.`,
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

/** The reason with durations replaced, because the length of a lease is drawn for each run. */
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
