/**
 * Checks whether the inputs of a bundle are unchanged: its files, and the folders and settings that
 * determined which files these are.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

export interface Made {
  /** When bundling began, in milliseconds. */
  readonly startedMs: number
  /**
   * By path: size and time, and the digest of the contents, which decides if the size or time
   * differs.
   */
  readonly files: Readonly<Record<string, readonly [stat: string, digest: string]>>
  /**
   * By path: folders in which packages and neighbours are looked up, and files that configure the
   * look-up. `null`: missing.
   */
  readonly around: Readonly<Record<string, string | null>>
}

/** A file that changes twice within this time may keep its time stamp. */
const clockTickMs = 2000

export function madeOf(inputs: readonly string[], startedMs: number): Made {
  const files = Object.fromEntries(inputs.map((file) => [file, [statOf(file) ?? '', digestOf(file)] as const]))
  return { startedMs, files, around: Object.fromEntries(aroundOf(inputs).map((name) => [name, statOf(name)])) }
}

export function isUnchanged({ startedMs, files, around }: Made): boolean {
  return (
    Object.entries(around).every(([name, stat]) => statOf(name) === stat) &&
    Object.entries(files).every(([file, [stat, digest]]) => {
      const now = statOf(file)
      if (now === null) return false
      const settled = now === stat && fs.statSync(file).mtimeMs < startedMs - clockTickMs
      return settled || digestOf(file) === digest
    })
  )
}

/**
 * A new file can take precedence over another one, and a new package over a package in a parent
 * folder.
 */
function aroundOf(inputs: readonly string[]): string[] {
  const names = new Set<string>()
  for (const file of inputs) {
    const own = path.dirname(file)
    if (!own.includes(`${path.sep}node_modules${path.sep}`)) names.add(own)
    const [, scope] = /node_modules[/\\](@[^/\\]+)[/\\](?!.*node_modules)/.exec(file) ?? []
    for (let folder = own; ; folder = path.dirname(folder)) {
      for (const name of ['node_modules', 'package.json', 'tsconfig.json']) names.add(path.join(folder, name))
      if (scope !== undefined) names.add(path.join(folder, 'node_modules', scope))
      if (folder === path.dirname(folder)) break
    }
  }
  return [...names]
}

function statOf(name: string): string | null {
  const stat = fs.statSync(name, { throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.size} ${stat.mtimeMs}`
}

function digestOf(file: string): string {
  return crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex')
}
