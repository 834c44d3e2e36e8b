/**
 * Prints a configuration search on a terminal: a table for each layer, and for each column the
 * smallest run that breaks the layer.
 */
import picocolors from 'picocolors'
import type {
  ConfigurationSearchCell,
  ConfigurationSearchLayer,
  ConfigurationSearchResults,
  ConfigurationSearchVerdict,
} from '../contract/results/configuration-search.ts'
import {
  type ConfigurationSearchHeads,
  cellAt,
  rowsOf,
  safetyOf,
  smallestByLoss,
} from './configuration-search-summary.ts'
import { counted, grouped } from './figures.ts'
import { shortKind } from './labels.ts'
import type { TerminalOptions } from './terminal.ts'

type Colours = ReturnType<typeof picocolors.createColors>

/** A cell: `✓ 300` if the layer held in 300 runs, `✕ failover` with the kind of the violation. */
function cellText({ verdict, violation, pair }: ConfigurationSearchCell): string {
  if (verdict === 'holds') return `✓ ${grouped(pair?.runs ?? 0)}`
  if (verdict === 'breaks') return `✕ ${violation === null ? '' : shortKind(violation)}`
  return { unknown: '? unknown', error: '! error', 'n/a': '–' }[verdict]
}

function painted(text: string, verdict: ConfigurationSearchVerdict, colours: Colours): string {
  if (verdict === 'n/a') return colours.dim(text)
  const paint = { holds: colours.green, breaks: colours.red, unknown: colours.yellow, error: colours.red }[verdict]
  return paint(text)
}

/** Wraps headings at words and aligns them at the bottom. */
function headLines(titles: readonly string[], widths: readonly number[]): string[][] {
  const words = titles.map((title, at) => {
    const lines: string[] = []
    for (const word of title.split(' ')) {
      const longer = `${lines.at(-1) ?? ''} ${word}`.trim()
      if (lines.length > 0 && longer.length <= widths[at]!) lines[lines.length - 1] = longer
      else lines.push(word)
    }
    return lines
  })
  const most = Math.max(...words.map(({ length }) => length))
  return Array.from({ length: most }, (_, line) => words.map((lines) => lines[line - most + lines.length] ?? ''))
}

function table(layer: ConfigurationSearchLayer, heads: ConfigurationSearchHeads, colours: Colours): string[] {
  const rows = rowsOf(layer, heads)
  const first = Math.max(...rows.map(({ id }) => id.length))
  const columns = heads.losses.map(({ id, title }) => {
    const cells = rows.map((row) => cellAt(layer, row.id, id))
    const width = Math.max(
      ...cells.map((cell) => cellText(cell).length),
      ...title.split(' ').map((word) => word.length),
    )
    return { title, cells, width }
  })
  const head = headLines(
    columns.map(({ title }) => title),
    columns.map(({ width }) => width),
  ).map((line) => ['', ...line].map((text, at) => text.padEnd(at === 0 ? first : columns[at - 1]!.width)).join('  '))
  const body = rows.map(({ id }, row) =>
    [
      id.padEnd(first),
      ...columns.map(({ cells, width }) => {
        const cell = cells[row]!
        return painted(cellText(cell).padEnd(width), cell.verdict, colours)
      }),
    ].join('  '),
  )
  return [...head.map((line) => colours.dim(line.trimEnd())), ...body.map((line) => line.trimEnd())]
}

function broken(layer: ConfigurationSearchLayer, heads: ConfigurationSearchHeads, colours: Colours): string[] {
  return smallestByLoss(layer, heads).flatMap(({ loss, configuration, violation }) => {
    const { invariant, kind, seed, run, faultCount, sentence, replay } = violation
    const where = colours.dim(`(seed ${seed}, run ${run}, ${counted(faultCount, 'fault')})`)
    return [
      `${colours.red('✕')} ${loss} on ${configuration}: ${invariant}: ${kind} ${where}`,
      `  ${sentence}`,
      `replay: ${replay}`,
    ]
  })
}

function open({ cells }: ConfigurationSearchLayer, colours: Colours): string[] {
  return cells
    .filter(({ verdict }) => verdict === 'unknown' || verdict === 'error')
    .map(({ loss, configuration, reason }) => `${colours.yellow('?')} ${loss} on ${configuration}: ${reason}`)
}

/** The lines of one layer. The report also has the token and the goals of each cell. */
export function configurationSearchLines(
  layer: ConfigurationSearchLayer,
  heads: ConfigurationSearchHeads,
  options: TerminalOptions,
): string[] {
  const colours = picocolors.createColors(options.colours)
  return [
    `${colours.bold(layer.implementation)}: ${safetyOf(layer, heads)}`,
    ...table(layer, heads, colours),
    ...broken(layer, heads, colours),
    ...open(layer, colours),
    '',
  ]
}

const endings: Record<number, string> = {
  0: 'every cell has its verdict',
  3: 'the harness failed: do not trust its verdicts',
  4: 'some cells have no verdict',
  130: 'interrupted: results so far',
}

/** The last line: the number of cells, the number of each verdict, and the result. */
export function configurationSearchSummary(
  { layers, exitCode, seed }: ConfigurationSearchResults,
  options: TerminalOptions,
): string {
  const colours = picocolors.createColors(options.colours)
  const cells = layers.flatMap((layer) => layer.cells)
  const verdicts = (['holds', 'breaks', 'unknown', 'error', 'n/a'] as const).flatMap((verdict) => {
    const n = cells.filter((cell) => cell.verdict === verdict).length
    return n === 0 ? [] : [`${n} ${verdict}`]
  })
  const text = `${counted(cells.length, 'cell')}: ${verdicts.join(', ')}; ${endings[exitCode] ?? `exit ${exitCode}`} (seed ${seed})`
  return exitCode === 0 ? colours.green(text) : exitCode === 3 ? colours.red(text) : colours.yellow(text)
}
