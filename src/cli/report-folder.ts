import fs from 'node:fs'
import path from 'node:path'
import { UsageError } from './usage-error.ts'

/** Makes the folder of the reports. Called before any run, so that none is wasted. */
export function prepareReports(folder: string): void {
  try {
    fs.mkdirSync(folder, { recursive: true })
    fs.accessSync(folder, fs.constants.W_OK)
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new UsageError(`--reports ${folder}`, `nothing can be written there (${code}); name another folder`)
  }
}

/** Where the newest report is. */
export function latestReport(folder: string): string {
  return path.join(folder, 'latest')
}

/** Its file for a person: the page, or the data where no page is wanted. */
export function reportFile({ reports, html }: { readonly reports: string; readonly html: boolean }): string {
  return `${latestReport(reports)}/${html ? 'index.html' : 'results.json'}`
}
