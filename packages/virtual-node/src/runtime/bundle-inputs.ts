/**
 * What a bundle was made of, and whether that is still the same: its files, and what decided which
 * files these are.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

export interface Made {
  /** When it was begun, in milliseconds. */
  readonly startedMs: number
  /** By path: size and time, and the contents' digest for when these differ. */
  readonly files: Readonly<Record<string, readonly [stat: string, digest: string]>>
  /**
   * By path: folders that packages and neighbours are looked for in, and files that say how. `null`
   * is what is not there.
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

/** A new file can stand before another one, a new package before one that is further up. */
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
