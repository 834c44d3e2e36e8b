/**
 * Writes docs/findings/patterns.md: the patterns from the table in docs/findings/articles.md, with
 * the results of a matrix.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { Results } from '../contract/results/results.ts'
import { type Pattern, patternsPage } from '../report/patterns-page.ts'
import { packageFolder } from './catalogue.ts'
import type { OptionsOf } from './command-table.ts'
import { leaveFile } from './leave-file.ts'
import { UsageError } from './usage-error.ts'

/** Called before any run, so that no run is wasted. @throws UsageError */
export function checkPatternsPage(
  file: string,
  { impl, withNext, scenario, steps }: Pick<OptionsOf<'matrix'>, 'impl' | 'withNext' | 'scenario' | 'steps'>,
): void {
  if (impl !== undefined || withNext !== undefined || scenario !== undefined || steps)
    throw new UsageError(
      '--write-docs',
      'the page needs all layers and scenarios; remove --impl, --with-next, --scenario, --steps',
    )
  readPatterns()
  try {
    fs.accessSync(path.dirname(file), fs.constants.W_OK)
  } catch {
    throw new UsageError(`--write-docs ${file}`, 'not writable; choose another file')
  }
}

/** Writes the page. False if it cannot be written; a line on standard error then reports it. */
export function writePatternsPage(file: string, results: Results): boolean {
  const whole = `${file}.${process.pid}`
  if (!leaveFile('--write-docs', whole, patternsPage(readPatterns(), results))) return false
  fs.renameSync(whole, file)
  return true
}

/**
 * The rows of the table in docs/findings/articles.md. @throws UsageError if the format of the table
 * is wrong
 */
export function readPatterns(): Pattern[] {
  const file = path.join(packageFolder, 'docs', 'findings', 'articles.md')
  const rows = fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\| \d{3} \|/.test(line))
  const patterns = rows.map(patternOf)
  if (patterns.length > 0 && !patterns.includes(null)) return (patterns as Pattern[]).map(withNameOfAbove)
  throw new UsageError(
    'docs/findings/articles.md',
    'its table needs the columns article, pattern, claims, commands, acknowledgement, condition',
  )
}

/**
 * Replaces "As the row above" by the name of the pattern above, because the page has sections
 * instead of rows.
 */
function withNameOfAbove(pattern: Pattern, at: number, all: readonly Pattern[]): Pattern {
  const above = all[at - 1]
  if (above === undefined) return pattern
  const named = `As for "${above.name}" (${above.article})`
  return { ...pattern, holdsIf: pattern.holdsIf.replace(/^As the row above/, named) }
}

function patternOf(row: string): Pattern | null {
  const [article, pattern, claims, , , holdsIf, ...more] = row
    .split('|')
    .slice(1, -1)
    .map((text) => text.trim())
  const [, name, list] = /^(.*) \(((?:`[\w-]+`(?:, )?)+)\)$/.exec(pattern ?? '') ?? []
  const ids = [...(list ?? '').matchAll(/`([\w-]+)`/g)].map(([, id]) => id!)
  const [first] = ids
  if (!article || !name || !claims || !holdsIf || first === undefined || more.length > 0) return null
  return { article, name, claims, holdsIf, adapters: ids.map((id) => (id.startsWith('-') ? `${first}${id}` : id)) }
}
