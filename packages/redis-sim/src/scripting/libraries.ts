/** The function libraries of one server. Source: functions.c of Redis 7.0. */
import { badName, type LoadedFunction, type LuaHost, loadLibrary } from '../lua/index.ts'
import { splitInline } from '../resp/inline.ts'
import { ErrorReply } from '../resp/reply.ts'

export interface Library {
  readonly name: string
  /** The complete source, including the first line. */
  readonly code: string
  readonly functions: readonly LoadedFunction[]
}

export class Libraries {
  private byName = new Map<string, Library>()
  /** Functions by name in lower case. */
  private functions = new Map<string, LoadedFunction>()

  find(functionName: string): LoadedFunction | undefined {
    return this.functions.get(functionName.toLowerCase())
  }

  /** The code of the library to which a function belongs; undefined for a script. */
  codeOf(script: object): string | undefined {
    return this.all().find(({ functions }) => functions.some((one) => one === script))?.code
  }

  get size(): number {
    return this.byName.size
  }

  get functionCount(): number {
    return this.functions.size
  }

  all(): Library[] {
    return [...this.byName.values()]
  }

  flush(): void {
    this.byName = new Map()
    this.functions = new Map()
  }

  /** Removes a library; false if no library has this name. */
  remove(name: string): boolean {
    const library = this.byName.get(name)
    if (library === undefined) return false
    this.byName.delete(name)
    for (const one of library.functions) this.functions.delete(one.functionName.toLowerCase())
    return true
  }

  /** Compiles, runs and stores a library; returns its name. An error changes nothing. */
  load(code: string, replace: boolean, host: LuaHost): string | ErrorReply {
    const header = parseHeader(code)
    if (header instanceof ErrorReply) return header
    const { name, source } = header
    const old = this.byName.get(name)
    if (old !== undefined && !replace) return new ErrorReply(`ERR Library '${name}' already exists`)
    const functions = loadLibrary(source, host)
    if (functions instanceof ErrorReply) return functions
    if (functions.length === 0) return new ErrorReply('ERR No functions registered')
    for (const one of functions) {
      const other = this.find(one.functionName)
      if (other !== undefined && !old?.functions.includes(other)) return alreadyExists('Function', one.functionName)
    }
    this.remove(name)
    this.link({ name, code, functions })
    return name
  }

  /** Adds all libraries of `other`, or none of them if one conflicts. */
  join(other: Libraries, replace: boolean): ErrorReply | undefined {
    const replaced = other.all().filter(({ name }) => this.byName.has(name))
    if (replaced.length > 0 && !replace) return alreadyExists('Library', replaced[0]!.name)
    const gone = new Set(replaced.flatMap(({ name }) => this.byName.get(name)!.functions))
    for (const { functionName } of other.functions.values()) {
      const mine = this.find(functionName)
      if (mine !== undefined && !gone.has(mine)) return alreadyExists('Function', functionName)
    }
    for (const { name } of replaced) this.remove(name)
    for (const library of other.all()) this.link(library)
    return undefined
  }

  private link(library: Library): void {
    this.byName.set(library.name, library)
    for (const one of library.functions) this.functions.set(one.functionName.toLowerCase(), one)
  }
}

function alreadyExists(what: string, name: string): ErrorReply {
  return new ErrorReply(`ERR ${what} ${name} already exists`)
}

/**
 * Parses the first line, `#!lua name=…`. `source` is the rest, beginning with the line feed after
 * the first line.
 */
function parseHeader(code: string): { name: string; source: string } | ErrorReply {
  if (!code.startsWith('#!')) return new ErrorReply('ERR Missing library metadata')
  const length = code.split('\0', 1)[0]!.indexOf('\n')
  const words = length === -1 ? null : splitInline(code.slice(0, length))
  if (words === null || words.length === 0) return new ErrorReply('ERR Invalid library metadata')
  let name: string | undefined
  for (const word of words.slice(1)) {
    if (!/^name=/i.test(word)) return new ErrorReply(`ERR Invalid metadata value given: ${word}`)
    if (name !== undefined) {
      return new ErrorReply('ERR Invalid metadata value, name argument was given multiple times')
    }
    name = word.slice(5)
  }
  if (name === undefined) return new ErrorReply('ERR Library name was not given')
  if (!/^[a-zA-Z0-9_]+$/.test(name)) return new ErrorReply(`ERR ${badName}`)
  const engine = words[0]!.slice(2)
  if (engine.toLowerCase() !== 'lua') return new ErrorReply(`ERR Engine '${engine}' not found`)
  return { name, source: code.slice(length) }
}
