/** `open`: shows the last report in the browser, at a root cause or a finding. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { breakAnchor } from '../../report/page/anchor.ts'
import type { OptionsOf } from '../command-table.ts'
import type { Output } from '../output.ts'
import { openPage, reportFile } from '../report-folder.ts'
import { reportedFinding } from '../reported-run.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Opens the page, and prints its address, because some machines have no browser. @throws UsageError
 */
export function openReport(id: string | undefined, options: OptionsOf<'open'>, output: Output): void {
  const file = reportFile({ reports: options.reports, html: true })
  const url = pathToFileURL(path.resolve(file))
  if (id !== undefined) url.hash = breakAnchor(reportedFinding(id, options))
  if (!fs.existsSync(file))
    throw new UsageError(file, 'no such page; run a campaign, or give its folder with --reports')
  output.line(url.href)
  openPage(url.href)
}
