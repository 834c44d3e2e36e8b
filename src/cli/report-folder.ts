import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { quoted } from '../campaign/token/replay-command.ts'
import { defaultReports } from './command-table.ts'
import { makeFolder } from './make-folder.ts'
import { written } from './unwritten.ts'
import { UsageError } from './usage-error.ts'

/** By reports folder: the inode of the newest report that this command found or wrote there. */
const known = new Map<string, number | undefined>()
const identityOf = (report: string) => fs.statSync(report, { throwIfNoEntry: false })?.ino

/** Makes the folder of the reports. Called before any run, so that no run is wasted. */
export function prepareReports(folder: string): void {
  try {
    makeFolder(folder)
    fs.accessSync(folder, fs.constants.W_OK)
    known.set(folder, identityOf(latestReport(folder)))
  } catch (error) {
    throw new UsageError(`--reports ${folder}`, `not writable (${codeOf(error)}); choose another folder`)
  }
}

/**
 * Calls `write` to write a report, and returns the folder of the report: `latest`, or `latest-2`
 * and so on if another command has written a report since this command began. Null if the report
 * cannot be written; a line on standard error then contains the folder.
 */
export function saveReport(folder: string, write: (target: string) => void): string | null {
  const remedyOf = (code: string) => {
    const remedy = /^(?:ENOSPC|EDQUOT)$/.test(code) ? 'free some space' : 'make the folder writable'
    return `the report was not written (${code}); ${remedy}, or choose another`
  }
  const latest = latestReport(folder)
  const isOurs = !known.has(folder) || identityOf(latest) === known.get(folder)
  const target = isOurs ? latest : freeBeside(latest)
  if (!written(`--reports ${folder}`, remedyOf, () => write(target))) return null
  if (isOurs) known.set(folder, identityOf(latest))
  return target
}

function freeBeside(latest: string): string {
  for (let number = 2; ; number++) if (!fs.existsSync(`${latest}-${number}`)) return `${latest}-${number}`
}

/** The code of a file system error. @throws the given error if it is another one */
function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string') throw error
  return code
}

/**
 * ` --reports <folder>`, for a printed command that reads the report; empty for the default folder.
 */
export function reportsOption(folder: string): string {
  return folder === defaultReports ? '' : ` --reports ${quoted(folder)}`
}

/** The folder of the newest report. */
export function latestReport(folder: string): string {
  return path.join(folder, 'latest')
}

/** Prints the path of the report if it was written, and opens its page on request. */
export function printPage(
  { html, open }: { readonly html: boolean; readonly open?: boolean | undefined },
  saved: string | null,
  say: (line: string) => void,
): void {
  if (saved === null) return
  const file = fileIn(saved, html)
  say(`report: ${file}`)
  if (html && open === true) openPage(file)
}

/** The report's file for people: the page, or the data if the report has no page. */
export function reportFile({ reports, html }: { readonly reports: string; readonly html: boolean }): string {
  return fileIn(latestReport(reports), html)
}

const fileIn = (report: string, html: boolean): string => `${report}/${html ? 'index.html' : 'results.json'}`

/** Shows a page in the user's browser. Does nothing if there is no browser. */
export function openPage(file: string): void {
  const [command, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform as string] ?? [
    'xdg-open',
  ]
  const child = spawn(command!, [...args, file], { detached: true, stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
}
