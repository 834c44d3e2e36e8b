/** Keeps bundles between commands. A bundle is reused while its inputs are unchanged. */
import crypto from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isUnchanged, type Made, madeOf } from './bundle-inputs.ts'
import { embedded } from './embedding.ts'

export interface Bundled<T> {
  /** The code and its metadata, as JSON. */
  readonly bundle: T
  /** Absolute paths of the files that it was made of. */
  readonly inputs: readonly string[]
}

/** The first line of a file; the bundle follows. */
interface Head extends Made {
  readonly digest: string
}

/** Above this size, the least recently used bundles are removed. */
const mostBytes = 256 * 1024 * 1024

/**
 * Returns the kept bundle for `asked`, or makes it with `make`. Keeps nothing if the folder is not
 * writable.
 * @throws what `make` throws
 */
export async function keptBundle<T>(asked: readonly string[], make: () => Promise<Bundled<T>>): Promise<T> {
  const place = path.join(embedded().bundles, `${keyOf(asked)}.json`)
  const found = read<T>(place)
  if (found !== null) return found
  const startedMs = Date.now()
  const { bundle, inputs } = await make()
  keep(place, JSON.stringify(bundle), madeOf(inputs, startedMs))
  return bundle
}

let how: string | undefined

/**
 * In addition to its inputs, a bundle depends on the request, on this Node, on esbuild, and on the
 * sources of this folder.
 */
function keyOf(asked: readonly string[]): string {
  how ??= digestOf([process.version, process.arch, process.env.NODE_PATH ?? '', esbuildVersion(), ...ownSources()])
  return digestOf([how, JSON.stringify(embedded().modules), ...asked])
}

function esbuildVersion(): string {
  return (createRequire(import.meta.url)('esbuild/package.json') as { version: string }).version
}

function ownSources(): string[] {
  const own = fileURLToPath(new URL('.', import.meta.url))
  const names = fs.readdirSync(own, { recursive: true, encoding: 'utf8' }).sort()
  return names.filter((name) => name.endsWith('.ts')).map((name) => fs.readFileSync(path.join(own, name), 'utf8'))
}

/** Null if the bundle is missing or damaged, or if its inputs have changed. */
function read<T>(place: string): T | null {
  try {
    const text = fs.readFileSync(place, 'utf8')
    const end = text.indexOf('\n')
    const head = JSON.parse(text.slice(0, end)) as Head
    const body = text.slice(end + 1)
    if (head.digest !== digestOf([body]) || !isUnchanged(head)) return null
    const bundle = JSON.parse(body) as T
    taken(place)
    return bundle
  } catch {
    return null
  }
}

/** Records the last use in the file's modification time. */
function taken(place: string): void {
  try {
    const now = Date.now() / 1_000
    fs.utimesSync(place, now, now)
  } catch {
    // The folder is not writable. Then nothing is removed from it either.
  }
}

/** Writes atomically, even if several processes keep the same bundle at once. */
function keep(place: string, body: string, made: Made): void {
  const draft = `${place}.${crypto.randomBytes(8).toString('hex')}`
  try {
    const head: Head = { ...made, digest: digestOf([body]) }
    fs.mkdirSync(path.dirname(place), { recursive: true })
    fs.writeFileSync(draft, `${JSON.stringify(head)}\n${body}`)
    fs.renameSync(draft, place)
    removeUnused(path.dirname(place))
  } catch {
    // Removes a half-written draft, if any.
    fs.rm(draft, { force: true }, () => {})
  }
}

function removeUnused(folder: string): void {
  const files = fs.readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name)
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    return stat === undefined ? [] : [{ file, size: stat.size, ms: stat.mtimeMs }]
  })
  let bytes = 0
  for (const { file, size } of files.sort((a, b) => b.ms - a.ms))
    if ((bytes += size) > mostBytes) fs.rmSync(file, { force: true })
}

function digestOf(parts: readonly string[]): string {
  const hash = crypto.createHash('sha256')
  for (const part of parts) hash.update(`${part.length}\0`).update(part)
  return hash.digest('hex')
}
