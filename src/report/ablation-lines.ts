/**
 * Renders an ablation table for a terminal and in Markdown: a row for each step, a column for each
 * pure scenario.
 */
import picocolors from 'picocolors'
import type { AblationTable, Step } from '../contract/results/results.ts'
import { grouped } from './figures.ts'
import type { TerminalOptions } from './terminal.ts'

type Cell = Step['cells'][number]

/** The columns: all scenarios of the steps, in the order of the longest step. */
function scenariosOf({ steps }: AblationTable): string[] {
  const [most] = [...steps].sort((a, b) => b.cells.length - a.cells.length)
  const all = [most, ...steps].flatMap((step) => step?.cells ?? [])
  return [...new Set(all.map(({ scenario }) => scenario))]
}

/** Removes the prefix that all scenarios share. */
const shortName = (scenario: string): string => scenario.replace(/^only-/, '')

const marks = { pass: '✓', violated: '✕', unknown: '?', error: '!' } as const

/**
 * A cell: `✓ 250` if the layer held in 250 runs, `✕ 3` if it broke within 3 runs, `✕ 3 *` if it
 * broke even without a fault.
 */
function cellText({ verdict, runs, broke }: Cell): string {
  return `${marks[verdict]} ${grouped(broke?.inRuns ?? runs)}${broke?.withoutFault ? ' *' : ''}`
}

function titleOf({ name }: AblationTable): string {
  if (name === 'steps') return 'what each step gains'
  return name === 'others' ? 'what other layers survive' : `what the steps of article ${name} gain`
}

export function ablationLines(table: AblationTable, { colours }: TerminalOptions): string[] {
  const paint = picocolors.createColors(colours)
  const scenarios = scenariosOf(table)
  const labels = table.steps.map(({ step, implementation }) => (table.name === 'steps' ? step : implementation))
  const widths = [Math.max(...labels.map(({ length }) => length)), ...scenarios.map((one) => shortName(one).length + 1)]
  const row = (texts: readonly string[]) =>
    texts
      .map((text, at) => text.padEnd(widths[at]!))
      .join(' ')
      .trimEnd()
  const body = table.steps.map(({ cells }, at) => {
    const text = (scenario: string) => {
      const cell = cells.find((one) => one.scenario === scenario)
      return cell === undefined ? '' : cellText(cell)
    }
    return `  ${row([labels[at]!, ...scenarios.map(text)])}`
  })
  const painted = body.map((line) => line.replace(/✓/g, paint.green('✓')).replace(/✕/g, paint.red('✕')))
  return [paint.bold(titleOf(table)), paint.dim(`  ${row(['', ...scenarios.map(shortName)])}`), ...painted, '']
}

/** Explains the marks; printed under the last table. */
export const ablationLegend =
  '  columns: one kind of fault; ✓ 250: held in 250 runs; ✕ 3: broke in run 3; *: needs none'

/**
 * A cell such as `✓ 250`, `✗ repeat-after-crash (2)`, or `✗ duplicate (1), even without a fault`.
 */
function markdownCell(cell: Cell | undefined): string {
  if (cell === undefined) return ''
  const { verdict, runs, broke } = cell
  if (broke === null) return `${marks[verdict]} ${grouped(runs)}`
  return `✗ ${broke.kind} (${grouped(broke.inRuns)})${broke.withoutFault ? ', even without a fault' : ''}`
}

export function ablationMarkdown(table: AblationTable): string {
  const scenarios = scenariosOf(table)
  // The table of other layers has no steps, so it has no column for them.
  const named = (step: string) => (table.name === 'others' ? [] : [step])
  const head = [...named('step'), 'adapter', ...scenarios.map((one) => `\`${one}\``), 'a duplicate gets']
  const rows = table.steps.map(({ step, implementation, duplicate, cells }) => [
    ...named(step),
    `\`${implementation}\``,
    ...scenarios.map((scenario) => markdownCell(cells.find((one) => one.scenario === scenario))),
    duplicate ?? '',
  ])
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
