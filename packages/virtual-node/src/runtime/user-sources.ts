/**
 * Finds the user's source lines in a stack: lines of an adapter, and of its imports that are not
 * packages.
 */
import { SourceMap } from 'node:module'
import path from 'node:path'
import { embedded } from './embedding.ts'
import { projectFolder } from './project-folder.ts'

/** A line of a user's source. */
export interface SourcePosition {
  /** Relative to the project's folder, with `/`. */
  readonly file: string
  readonly line: number
}

const inlineMap = /\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/

/** More frames than a stack has. */
const mostFrames = 400

interface Mapped {
  readonly code: string
  readonly map: SourceMap | null
  /** Cached results, by line and column in the code. */
  readonly known: Map<string, SourcePosition | null>
}

export class UserSources {
  readonly #script: string
  /** Found on first use: most runs need no lines. */
  #project: string | null = null
  #mapped: Mapped | null = null

  /** `code`: the currently evaluated code of the adapter's bundle, with its source map. */
  constructor(
    private readonly adapter: string,
    private readonly code: () => string,
  ) {
    this.#script = bundleName(adapter)
    bundled.set(this.#script, this)
  }

  /** The innermost of the user's lines in the last frames of the stack; null if no line is. */
  caller(frames = mostFrames): SourcePosition | null {
    for (const site of callSites(frames)) {
      if (site.getFileName() !== this.#script || site.isAsync()) continue
      const found = this.#users(site.getLineNumber() ?? 1, site.getColumnNumber() ?? 1)
      if (found !== null) return found
    }
    return null
  }

  /** The frames of a stack that are the user's lines, the innermost first. */
  framesOf(stack: string): string[] {
    const script = `${this.#script}:`
    return stack.split('\n').flatMap((frame) => {
      const at = frame.indexOf(script)
      const [place, line, column] = /^(\d+):(\d+)/.exec(frame.slice(at + script.length)) ?? []
      if (at === -1 || place === undefined) return []
      const found = this.#users(Number(line), Number(column))
      const after = frame.slice(at + script.length + place.length)
      return found === null ? [] : [`${frame.slice(0, at)}${found.file}:${found.line}${after}`]
    })
  }

  /**
   * The name of a line, as `lodash/lodash.js:438` or `src/layer.ts:12`. Null if it is not a line of
   * a source.
   */
  nameOf(line: number, column: number): string | null {
    const source = this.#source(this.#map().map, line, column)
    if (source === null) return null
    const [file, number] = source
    return `${nameOfSource(file, (this.#project ??= projectFolder(this.adapter)))}:${number}`
  }

  /** Null for places outside of the user's sources. */
  #users(line: number, column: number): SourcePosition | null {
    const { map, known } = this.#map()
    const place = `${line}:${column}`
    let found = known.get(place)
    if (found === undefined) known.set(place, (found = this.#look(map, line, column)))
    return found
  }

  #look(map: SourceMap | null, line: number, column: number): SourcePosition | null {
    const found = this.#source(map, line, column)
    if (found === null) return null
    const [source, number] = found
    const project = (this.#project ??= projectFolder(this.adapter))
    if (!isUsers(source, project)) return null
    return { file: path.relative(project, source).split(path.sep).join('/'), line: number }
  }

  #source(map: SourceMap | null, line: number, column: number): [file: string, line: number] | null {
    const entry = map?.findEntry(line - 1, column - 1)
    if (entry === undefined || !('originalSource' in entry)) return null
    return [path.resolve(path.dirname(this.adapter), entry.originalSource), entry.originalLine + 1]
  }

  #map(): Mapped {
    const code = this.code()
    if (this.#mapped?.code !== code) this.#mapped = { code, map: mapIn(code), known: new Map() }
    return this.#mapped
  }
}

/** The sources of each bundle, by the name of its script. */
const bundled = new Map<string, UserSources>()

/** The innermost line of a source in the stack, of a package or of the user. */
export function whoAsks(): string | null {
  for (const site of callSites(mostFrames)) {
    const script = site.getFileName()
    const sources = script === null || site.isAsync() ? undefined : bundled.get(script)
    const name = sources?.nameOf(site.getLineNumber() ?? 1, site.getColumnNumber() ?? 1) ?? null
    if (name !== null) return name
  }
  return null
}

/** Files of a package by the package's name, whatever folder they are in. */
function nameOfSource(file: string, project: string): string {
  const parts = file.split(path.sep)
  const modules = parts.lastIndexOf('node_modules')
  return modules === -1 ? path.relative(project, file).split(path.sep).join('/') : parts.slice(modules + 1).join('/')
}

/** The name under which an adapter's bundle is evaluated, and which stacks contain. */
export const bundleName = (adapter: string): string => `${adapter}.bundle.js`

function mapIn(code: string): SourceMap | null {
  const encoded = inlineMap.exec(code.slice(code.lastIndexOf('\n//# sourceMappingURL=')))?.[1]
  return encoded === undefined ? null : new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()))
}

/** True for a file of the project itself, not of a package or the harness. */
export function isUsers(source: string, project: string): boolean {
  // The project itself may be in a `node_modules`.
  const from = isIn(source, project) ? path.relative(project, source) : source
  if (from.split(path.sep).includes('node_modules')) return false
  const ours = path.resolve(embedded().folder)
  if (!isIn(source, ours)) return true
  return project === ours && embedded().isProgram(source)
}

const isIn = (file: string, folder: string): boolean => file.startsWith(folder + path.sep)

/** The caller's stack. The code under test may have changed the format of stacks. */
function callSites(frames: number): readonly NodeJS.CallSite[] {
  const { prepareStackTrace, stackTraceLimit } = Error
  let sites: readonly NodeJS.CallSite[] = []
  Error.prepareStackTrace = (_, all) => (sites = all)
  Error.stackTraceLimit = frames
  void new Error().stack
  Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  return sites
}
