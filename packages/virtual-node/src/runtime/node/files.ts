/**
 * `fs` in a process: the adapter's own files may be read (`readable-files.ts`), and the results
 * enter the run's digest. All other files, and all writing functions, are refused by name.
 */
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { epochMs } from '../../kernel/epoch.ts'
import { within } from '../current.ts'
import type { VirtualProcess } from '../process.ts'
import { real } from '../real.ts'
import { listed, listText } from './folder-list.ts'
import { digestOf, type Place } from './readable-files.ts'
import { refuse } from './refuse.ts'
import { replaceFunction } from './replace.ts'

type Read = (path: string, ...rest: unknown[]) => unknown

const whyOutside = "outside the packages that the adapter can import; `allow: ['fs-read']` permits it"

/**
 * `what`: the called function. Returns null if `given` is not a path.
 * @throws NotSimulatedError if the process may not read this path
 */
export function placeOf({ host }: VirtualProcess, what: string, given: unknown): Place | null {
  const path = given instanceof URL ? fileURLToPath(given) : Buffer.isBuffer(given) ? given.toString() : given
  if (typeof path === 'number') refuse(`${what} of a descriptor`)
  // Node itself reports the wrong type.
  if (typeof path !== 'string') return null
  const place = host.files.place(path)
  if (place.readable) return place
  if (host.files.loading && !place.device) host.files.noteEarly(`${what} of ${place.name}, ${whyOutside}`)
  else refuse(`${what} of ${place.name}`, whyOutside)
  return place
}

/** Removes the differences between machines: owners, times, inode numbers, the size of folders. */
function withoutMachine(stats: fs.Stats | fs.BigIntStats): unknown {
  const fields = stats as unknown as Record<string, unknown>
  const value = (number: number) => (typeof fields.mode === 'bigint' ? BigInt(number) : number)
  const { mode } = fields
  Object.assign(fields, {
    dev: value(0),
    ino: value(0),
    nlink: value(1),
    uid: value(1000),
    gid: value(1000),
    rdev: value(0),
    blksize: value(4096),
    mode: value((Number(mode) & 0o170000) | (stats.isDirectory() ? 0o755 : 0o644)),
  })
  if (stats.isDirectory()) fields.size = value(4096)
  fields.blocks = value(Math.ceil(Number(fields.size) / 512))
  for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) {
    fields[`${name}Ms`] = value(epochMs)
    if (`${name}Ns` in fields) fields[`${name}Ns`] = BigInt(epochMs) * 1_000_000n
    fields[name] = new real.Date(epochMs)
  }
  return stats
}

/** Returns `read`, a result for another file, with the content of a simulated file. */
function ofMachine(read: unknown, text: string): unknown {
  if (typeof read === 'string') return text
  if (Buffer.isBuffer(read)) return Buffer.from(text)
  if (read instanceof fs.Stats) read.size = text.length
  return read
}

interface Reader {
  /**
   * Removes the differences between machines from the result. `from`: the path that was read.
   * `given`: the path as requested.
   */
  readonly answer?: (value: unknown, from: string, given: unknown) => unknown
  /** The part of the result that enters the digest. */
  readonly text: (value: unknown, given: unknown) => string | Buffer
}

const statText = (stats: unknown) => {
  const { size, mode } = (stats ?? { size: 'none', mode: 'none' }) as fs.Stats
  return `${size} ${mode}`
}

const readers: Readonly<Record<string, Reader>> = {
  access: { text: () => 'accessible' },
  readFile: { text: (content) => content as string | Buffer },
  readdir: { answer: listed, text: listText },
  stat: { answer: (stats) => stats && withoutMachine(stats as fs.Stats), text: statText },
  lstat: { answer: (stats) => stats && withoutMachine(stats as fs.Stats), text: statText },
}

/** True for a mode in which `readFile` would change the file. */
function writes(options: unknown): boolean {
  const { flag } = (options ?? {}) as { flag?: unknown }
  return flag !== undefined && flag !== 'r' && flag !== 'rs'
}

function report({ host }: VirtualProcess, name: string, place: Place, text: string | Buffer): void {
  host.fileRead(`${name} ${place.name}`, digestOf(text))
}

/**
 * Runs outside of the process, because Node's own code calls functions of `fs` that a process may
 * not call.
 */
const outside = <T>(read: () => T): T => within(null, read)

/** Errors name the file as it was requested. */
function withoutPlace(error: unknown, { real: place, virtual }: Place, given: unknown): unknown {
  if (virtual && error instanceof Error) {
    error.message = error.message.replace(place, String(given))
    Object.assign(error, { path: given })
  }
  return error
}

function installReader(name: string, { answer = (value) => value, text }: Reader): void {
  const functions = fs as unknown as Record<string, Read>
  const realRead = functions[`${name}Sync`]!
  replaceFunction(fs, `${name}Sync`, (process, given: unknown, ...rest: unknown[]) => {
    const place = placeOf(process, `fs.${name}Sync`, given)
    if (place === null) return realRead(given as string, ...rest)
    if (name === 'readFile' && writes(rest[0])) refuse(`fs.readFileSync of ${place.name} with a flag that writes`)
    try {
      const read = answer(
        outside(() => realRead(place.real, ...rest)),
        place.real,
        given,
      )
      const value = place.text === undefined ? read : ofMachine(read, place.text)
      report(process, name, place, text(value, given))
      return value
    } catch (error) {
      report(process, name, place, String((error as { code?: unknown }).code))
      throw withoutPlace(error, place, given)
    }
  })
}

function installExists(): void {
  const { existsSync } = fs
  replaceFunction(fs, 'existsSync', (process, given: unknown) => {
    const place = placeOf(process, 'fs.existsSync', given)
    if (place === null) return false
    const there = outside(() => existsSync(place.real))
    report(process, 'exists', place, String(there))
    return there
  })
  replaceFunction(fs, 'exists', (process, given: unknown, done: (there: boolean) => void) => {
    const there = fs.existsSync(given as string)
    process.callBack(() => done(there))
  })
}

function installRealpath(): void {
  const replaced = (owner: object, name: string): void => {
    const realRead = (owner as Record<string, Read>)[name]!
    replaceFunction(owner, name, (process, given: unknown, ...rest: unknown[]) => {
      const place = placeOf(process, 'fs.realpathSync', given)
      if (place === null) return realRead(given as string, ...rest)
      try {
        const found = outside(() => realRead(place.real, ...rest)) as string
        report(process, 'realpath', place, 'there')
        if (place.text !== undefined) return place.name
        return place.virtual ? process.host.files.seenAs(found) : found
      } catch (error) {
        report(process, 'realpath', place, String((error as { code?: unknown }).code))
        throw withoutPlace(error, place, given)
      }
    })
  }
  replaced(fs.realpathSync, 'native')
  replaced(fs, 'realpathSync')
}

/**
 * Call it before `installThreadPool`, which makes asynchronous functions from these functions.
 */
export function installFiles(): void {
  for (const [name, reader] of Object.entries(readers)) installReader(name, reader)
  installExists()
  installRealpath()
}
