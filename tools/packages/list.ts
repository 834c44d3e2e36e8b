/** The list of packages, with the features that each package uses in a simulated process. */
import { fileURLToPath } from 'node:url'

export const listFile = fileURLToPath(new URL('packages.tsv', import.meta.url))

/** The result of loading a package in a simulated process. */
export interface Loaded {
  /** The error; null if the package was loaded. */
  readonly error: string | null
  /** Features that the package used and that are not simulated, each with the line of code. */
  readonly refused: readonly string[]
  /** Node internals and machine properties that the package read successfully. */
  readonly probed: readonly string[]
}

/** A line of the list. */
export interface Listed {
  /** The package's name with its version. */
  readonly name: string
  readonly outcome: string
  readonly probed: readonly string[]
}

/** The outcome of a package that real Node cannot load either. */
export const notInNode = 'Node loads nothing'

export function outcomeOf({ error, refused }: Loaded, inNode: boolean): string {
  if (error !== null && !inNode) return notInNode
  const [, needed] = /needs an unsupported feature \((.*)\); use an alternative$/.exec(error ?? '') ?? []
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
