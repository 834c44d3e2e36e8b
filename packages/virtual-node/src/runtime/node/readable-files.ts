/**
 * The files that an adapter may read: those of its package, of packages that it can import, and
 * of this package. Other files differ from machine to machine, and tokens do not contain them.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { embedded } from '../embedding.ts'
import { projectFolder } from '../project-folder.ts'
import { machineFiles, nowhere } from './machine-files.ts'
import { probed } from './probes.ts'
import { appFolder } from './sees.ts'

/** Node's real functions, taken before they are replaced for processes. */
const { existsSync, readFileSync } = fs
const realpath = fs.realpathSync.native

const ours = 'onceproof:'

/** Kernel files, refused in any case. */
const devices = /^\/(?:proc|sys|dev)(?:\/|$)/

/** One file that was requested. */
export interface Place {
  /** Its path on this machine. */
  readonly real: string
  /** Its name: for a file of the adapter, the same on every machine. */
  readonly name: string
  /** True if the path was given as the process sees it, below `/app`. */
  readonly virtual: boolean
  readonly readable: boolean
  /**
   * True for a kernel file, which is refused in any case, and so even while the adapter is loaded.
   */
  readonly device: boolean
  /** Its content, if it is a file of the simulated machine. */
  readonly text?: string
}

/** The part of `ReadableFiles` that the host of a process provides. */
export type AdapterFiles = Pick<ReadableFiles, 'place' | 'seenAs' | 'loaded' | 'loading' | 'noteEarly'>

export class ReadableFiles {
  /** The reads of the adapter's modules while loading, by name: the digest of each result. */
  readonly loaded = new Map<string, string>()
  /** Reads that only `allow` permits, which is unknown until loading is over. */
  readonly #early = new Set<string>()
  #allow: 'not known' | 'everywhere' | 'own' = 'not known'
  readonly #app: string
  readonly #folders: readonly string[]
  readonly #ours = realpath(embedded().folder)

  constructor(adapter: string) {
    const file = existsSync(adapter) ? realpath(adapter) : path.resolve(adapter)
    this.#app = projectFolder(file)
    this.#folders = [this.#app, this.#ours, ...modulesAbove(this.#app)]
  }

  place(given: string): Place {
    const seen = path.resolve(appFolder, given)
    const text = machineFiles.get(seen)
    if (text !== undefined) {
      probed(seen)
      return machinePlace(seen, text)
    }
    const below = path.relative(appFolder, seen)
    const virtual = below !== '..' && !below.startsWith(`..${path.sep}`)
    const asked = virtual ? path.join(this.#app, below) : seen
    const real = realOf(asked)
    const device = devices.test(real)
    const inside = !device && this.#folders.some((folder) => isBelow(folder, real))
    const linked = device || inside ? null : this.#linkedName(real)
    const otherCase = swapCase(real)
    // TypeScript swaps the case of a path to test whether the file system ignores case.
    if (!inside && this.#folders.some((folder) => isBelow(folder, otherCase)))
      return machinePlace(swapCase(this.#nameOf(otherCase)), null)
    return {
      real: asked,
      virtual,
      name: inside ? this.#nameOf(real) : (linked ?? given),
      readable: inside || linked !== null || (this.#allow === 'everywhere' && !device),
      device,
    }
  }

  /** True while the modules are loaded for the first time. */
  get loading(): boolean {
    return this.#allow === 'not known'
  }

  noteEarly(what: string): void {
    this.#early.add(what)
  }

  /**
   * Call it when the adapter is loaded and its permissions are known. Returns what the adapter read
   * without permission.
   */
  permit(everywhere: boolean): readonly string[] {
    this.#allow = everywhere ? 'everywhere' : 'own'
    return everywhere ? [] : [...this.#early]
  }

  /** The path as it appears to a process that uses paths below `/app`. */
  seenAs(real: string): string {
    return isBelow(this.#app, real) ? path.join(appFolder, path.relative(this.#app, real)) : real
  }

  /**
   * True if the requested file is one of this package, which is the same for all runs of its
   * version.
   */
  static isOurs(what: string): boolean {
    return what.split(' ', 2)[1]!.startsWith(ours)
  }

  /** The name of a file of a package that `npm link` or a workspace has put into `node_modules`. */
  #linkedName(real: string): string | null {
    for (let folder = path.dirname(real); folder !== path.dirname(folder); folder = path.dirname(folder)) {
      const name = packageNameIn(folder)
      if (name === null) continue
      const isLinked = this.#folders.some((modules) => {
        const link = path.join(modules, name)
        return path.basename(modules) === 'node_modules' && existsSync(link) && realpath(link) === folder
      })
      if (isLinked) return path.posix.join('node_modules', name, path.relative(folder, real))
    }
    return null
  }

  #nameOf(real: string): string {
    const modules = `${path.sep}node_modules${path.sep}`
    const inOurs = path.relative(this.#ours, real)
    if (isBelow(this.#ours, real) && !`${path.sep}${inOurs}`.includes(modules)) return ours + inOurs
    const inPackage = real.split(modules)
    if (inPackage.length > 1) return `node_modules/${inPackage.at(-1)}`
    return path.join(appFolder, path.relative(this.#app, real))
  }
}

export const digestOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 16)

const swapCase = (text: string): string =>
  text.replace(/\p{L}/gu, (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()))

function machinePlace(name: string, text: string | null): Place {
  const found = { virtual: true, name, readable: true, device: false }
  return text === null ? { ...found, real: path.join(nowhere, name) } : { ...found, real: import.meta.filename, text }
}

/** Null if the folder has no package with a name. */
function packageNameIn(folder: string): string | null {
  const file = path.join(folder, 'package.json')
  if (!existsSync(file)) return null
  try {
    const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }
    return typeof name === 'string' ? name : null
  } catch {
    return null
  }
}

function isBelow(folder: string, file: string): boolean {
  const relative = path.relative(folder, file)
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative))
}

/** The target of links; for a missing file, relative to the nearest existing folder. */
function realOf(file: string): string {
  try {
    return realpath(file)
  } catch {
    const above = path.dirname(file)
    return above === file ? file : path.join(realOf(above), path.basename(file))
  }
}

function modulesAbove(folder: string): string[] {
  const above = path.dirname(folder)
  return [path.join(folder, 'node_modules'), ...(above === folder ? [] : modulesAbove(above))]
}
