/**
 * Places in sources that load what they name only while they run: calls with computed names, and
 * `require` handed on.
 */
import path from 'node:path'
import type { Message } from 'esbuild'

/** A word in a file, by line from 1 and byte column from 0, in the text that esbuild was given. */
export interface ComputedPlace {
  readonly line: number
  readonly column: number
  readonly word: 'require' | 'import'
}

/** By absolute path. */
export type ComputedNames = ReadonlyMap<string, readonly ComputedPlace[]>

const words = {
  'unsupported-require-call': 'require',
  'indirect-require': 'require',
  'unsupported-dynamic-import': 'import',
} as const

/** Code that is evaluated in a module's own scope sees the module's `require`. */
const evaluates = 'direct-eval'

/** For esbuild: it tells of those places only where it is asked to. */
export const reportComputedNames = Object.fromEntries(
  [...Object.keys(words), evaluates].map((id) => [id, 'warning'] as const),
)

/** What esbuild told of, by file; no places where only evaluated code may name modules. */
export function computedNames(warnings: readonly Message[], workingDir: string): Map<string, ComputedPlace[]> {
  const found = new Map<string, ComputedPlace[]>()
  for (const { id, location } of warnings) {
    const word = words[id as keyof typeof words]
    if ((word === undefined && id !== evaluates) || location === null || !isFile(location)) continue
    const file = path.resolve(workingDir, location.file)
    const places = found.get(file) ?? []
    found.set(file, places)
    if (word !== undefined) places.push({ line: location.line, column: location.column, word })
  }
  return found
}

const isFile = ({ namespace }: { readonly namespace: string }) => namespace === 'file' || namespace === ''

/**
 * In place of each word: the file's own way of loading, which resolves from that file and in that
 * process.
 */
const ownWords = { require: 'onceproof_require', import: 'onceproof_require.import' } as const

const computedResolve = /(?<![\w$.])require(?=\.resolve\(\s*[^\s'"`])/

/** Whether it asks where a computed name is: esbuild leaves these as they are and tells of none. */
export const resolvesComputed = (source: string): boolean => computedResolve.test(source)

const direct = /(?<![\w$.])eval\s*\(/
const ofModule = /(?<![\w$.])module\s*(?:\.\s*require\b|\[\s*['"`]require['"`]\s*\])/
const statement = /(?:^|[;}])\s*(?:import|export)\b\s*[\w{*"']/m
const leaves = /(?<![\w$.])(?:module\s*\.\s*)?exports\s*[.=[]/

/** Comments of CommonJS modules may speak of ES modules: what such a one leaves tells it. */
export const isEsModule = (source: string): boolean => statement.test(source) && !leaves.test(source)

/**
 * What of a CommonJS module's own scope must be its way of loading, since esbuild does not see who
 * calls it: code that is evaluated there, where it is `told` of such, and calls by `module`.
 */
export function hiddenLoading(source: string, reported: boolean): readonly string[] {
  if (isEsModule(source)) return []
  return [
    ...(reported && direct.test(source) ? ['var require'] : []),
    ...(ofModule.test(source) ? ['module.require'] : []),
  ]
}

/** The source with a way of loading of its own (`ownSources`) at those places. */
export function withOwnLoading(source: string, places: readonly ComputedPlace[]): string {
  const lines = source.split('\n')
  const lastFirst = [...places].sort((a, b) => b.line - a.line || b.column - a.column)
  for (const { line, column, word } of lastFirst) {
    const bytes = Buffer.from(lines[line - 1]!)
    const after = bytes.subarray(column + word.length)
    lines[line - 1] = `${bytes.subarray(0, column)}${ownWords[word]}${after}`
  }
  return lines.join('\n').replaceAll(new RegExp(computedResolve, 'g'), ownWords.require)
}
