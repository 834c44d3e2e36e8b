import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Facts that the loader of programs needs about the package that embeds it. */
export interface Embedding {
  /** The folder of that package. Programs may read the files below it. */
  readonly folder: string
  /** The folder in which bundles are kept between commands. */
  readonly bundles: string
  /** The file that a program gets when it imports one of these names. */
  readonly modules: Readonly<Record<string, string>>
  /** True for a file below `folder` whose lines count as the program's own. */
  isProgram(file: string): boolean
  /** The part of a module's exports that the loader returns. */
  exportOf(exports: { readonly default?: unknown } | undefined): unknown
  /** True if the program may read files outside of its project. */
  mayReadFiles(exported: unknown): boolean
}

const ownFolder = fileURLToPath(new URL('../../', import.meta.url))

let embedding: Embedding = {
  folder: ownFolder,
  bundles: path.join(ownFolder, 'node_modules/.cache/bundles/'),
  modules: {},
  isProgram: () => false,
  exportOf: (exports) => exports?.default ?? exports,
  mayReadFiles: () => false,
}

/** Call it before the first program is loaded in this thread. */
export function embedIn(given: Embedding): void {
  embedding = given
}

export const embedded = (): Embedding => embedding
