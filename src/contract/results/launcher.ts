/**
 * How the user calls the command line from the working directory. Replay commands and hints begin
 * with it.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

let found: { readonly folder: string; readonly launcher: string } | undefined

/**
 * `pnpm sim` in a pnpm project with a script `sim` that runs Onceproof, otherwise `npx onceproof`.
 */
export function launcher(): string {
  const folder = process.cwd()
  if (found?.folder !== folder) found = { folder, launcher: launcherIn(folder) }
  return found.launcher
}

export function launcherIn(folder: string): string {
  const project = projectOf(folder)
  return project !== null && hasScript(project) && usesPnpm(project) ? 'pnpm sim' : 'npx onceproof'
}

/** The nearest folder with a `package.json`; null if no folder above has one. */
function projectOf(folder: string): string | null {
  if (existsSync(path.join(folder, 'package.json'))) return folder
  const parent = path.dirname(folder)
  return parent === folder ? null : projectOf(parent)
}

function hasScript(project: string): boolean {
  return /onceproof/.test(String(manifestOf(project)?.scripts?.sim ?? ''))
}

function usesPnpm(project: string): boolean {
  const { packageManager } = manifestOf(project) ?? {}
  return existsSync(path.join(project, 'pnpm-lock.yaml')) || /^pnpm@/.test(String(packageManager ?? ''))
}

/** The content of `package.json`; null if the file is missing or unreadable. */
function manifestOf(
  project: string,
): { readonly scripts?: { readonly sim?: unknown }; packageManager?: unknown } | null {
  try {
    return JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'))
  } catch {
    return null
  }
}
