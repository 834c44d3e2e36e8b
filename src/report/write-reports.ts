/**
 * Writes a report as one folder: `results.json`, `index.html`, and counterexamples that are too
 * long for a token.
 */
import type { Results } from '../contract/results/results.ts'
import type { Picture } from '../contract/results/timeline.ts'
import type { PageContext } from './page/context.ts'
import { page } from './page/page.ts'
import { writeFolder } from './write-folder.ts'

export interface Report {
  readonly results: Results
  /** Files of counterexamples, by name. */
  readonly files: ReadonlyMap<string, string>
  /** False to omit the page. */
  readonly html: boolean
  /** Pictures of findings; absent if no run was traced. */
  readonly pictures?: readonly Picture[]
  readonly context?: PageContext
}

/**
 * Replaces the folder `target` (for example `reports/latest`) by the report; creates its parents.
 * @throws Error of the file system if the report cannot be written; the old report is then kept
 */
export function writeReports(target: string, { results, files, html, pictures = [], context }: Report): void {
  writeFolder(target, [
    ...files,
    ['results.json', `${JSON.stringify(results, null, 2)}\n`],
    ...(html ? [['index.html', page(results, pictures, context)] as const] : []),
  ])
}
