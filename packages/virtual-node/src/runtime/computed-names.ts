/**
 * Places in sources that name modules only at run time: calls with computed names, and `require`
 * passed on as a value.
 */
import path from 'node:path'
import type { Message } from 'esbuild'

/** A word in a file, by line from 1 and byte column from 0, in the text that esbuild got. */
export interface ComputedPlace {
  readonly line: number
  readonly column: number
  readonly word: 'require' | 'import'
}

/** The places, by absolute path of their file. */
export type ComputedNames = ReadonlyMap<string, readonly ComputedPlace[]>

const words = {
  'unsupported-require-call': 'require',
  'indirect-require': 'require',
  'unsupported-dynamic-import': 'import',
} as const

/** Code that is evaluated in a module's scope sees the module's `require`. */
const evaluates = 'direct-eval'

/** Makes esbuild report places with computed names. */
export const reportComputedNames = Object.fromEntries(
  [...Object.keys(words), evaluates].map((id) => [id, 'warning'] as const),
)

/**
 * The places that esbuild reported, by file; an empty list if only evaluated code may name modules.
 */
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
 * Each word is replaced by a loader that resolves names from the word's file and in the current
 * process.
 */
const ownWords = { require: 'onceproof_require', import: 'onceproof_require.import' } as const

const computedResolve = /(?<![\w$.])require(?=\.resolve\(\s*[^\s'"`])/

/**
 * True if the source calls `require.resolve` with a computed name: esbuild leaves such calls
 * unchanged and does not report them.
 */
export const resolvesComputed = (source: string): boolean => computedResolve.test(source)

const direct = /(?<![\w$.])eval\s*\(/
const ofModule = /(?<![\w$.])module\s*(?:\.\s*require\b|\[\s*['"`]require['"`]\s*\])/
const statement = /(?:^|[;}])\s*(?:import|export)\b\s*[\w{*"']/m
const leaves = /(?<![\w$.])(?:module\s*\.\s*)?exports\s*[.=[]/

/** A CommonJS module may have `import` in its comments, but it assigns to `exports`. */
export const isEsModule = (source: string): boolean => statement.test(source) && !leaves.test(source)

/**
 * Names that must refer to a CommonJS module's own loader, because esbuild does not see calls of
 * them: `require` in evaluated code, if esbuild `reported` such code, and `module.require`.
 */
export function hiddenLoading(source: string, reported: boolean): readonly string[] {
  if (isEsModule(source)) return []
  return [
    ...(reported && direct.test(source) ? ['var require'] : []),
    ...(ofModule.test(source) ? ['module.require'] : []),
  ]
}

/** The source in which the file's own loader (`ownSources`) replaces the words at `places`. */
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
