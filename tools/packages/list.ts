/** The list of packages, and of what each asks a simulated process for. */
import { fileURLToPath } from 'node:url'

export const listFile = fileURLToPath(new URL('packages.tsv', import.meta.url))

/** What came of loading a package in a simulated process. */
export interface Loaded {
  /** Null for a package that was loaded. */
  readonly error: string | null
  /** What it used that is not simulated, with the line that did. */
  readonly refused: readonly string[]
  /** What it looked at of Node's inside and of the machine, and got an answer. */
  readonly probed: readonly string[]
}

/** A line of the list. */
export interface Listed {
  /** With its version. */
  readonly name: string
  readonly outcome: string
  readonly probed: readonly string[]
}

/** In real Node there is nothing to load, or less than it needs. */
export const notInNode = 'Node loads nothing'

export function outcomeOf({ error, refused }: Loaded, inNode: boolean): string {
  if (error !== null && !inNode) return notInNode
  const [, needed] = /needs an unsupported feature \((.*)\); find a way without it$/.exec(error ?? '') ?? []
  const unknown = refused.length > 0 ? `unknown: ${refused.join('; ')}` : 'loads'
  return error === null ? unknown : `refused: ${needed ?? error}`
}

export const textOf = (list: readonly Listed[]): string =>
  list
    .map(({ name, outcome, probed }) => `${[name, outcome, ...probed].join('\t')}\n`)
    .sort()
    .join('')

export const readList = (text: string): Listed[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [name, outcome, ...probed] = line.split('\t') as [string, string, ...string[]]
      return { name, outcome, probed }
    })
