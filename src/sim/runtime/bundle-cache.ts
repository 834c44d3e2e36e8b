/** Bundles kept between commands: each is taken again for as long as nothing that it was made of has changed. */
import crypto from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Made, madeOf, sameAs } from './bundle-inputs.ts'
import type { PatchedSources } from './patched-sources.ts'

export interface Bundle {
  readonly code: string
  readonly leaks: readonly string[]
  /** Absolute paths of the files that it was made of. */
  readonly inputs: readonly string[]
}

interface Kept extends Made {
  readonly leaks: readonly string[]
  /** Of the code, which follows this line. */
  readonly digest: string
}

const folder = fileURLToPath(new URL('../../../dist/adapters/', import.meta.url))
/** The oldest beyond these are removed. */
const mostBytes = 256 * 1024 * 1024

/** The kept bundle of an adapter, or the one that `make` makes. Nothing is kept where nothing can be written. */
export async function keptBundle(
  file: string,
  patched: PatchedSources,
  make: () => Promise<Bundle>,
): Promise<Omit<Bundle, 'inputs'>> {
  const place = path.join(folder, `${keyOf(file, patched)}.cjs`)
  const found = read(place)
  if (found !== null && sameAs(found.kept)) return { ...found.kept, code: found.code }
  const startedMs = Date.now()
  const bundle = await make()
  keep(place, bundle, startedMs)
  return bundle
}

let how: string | undefined

/** What else a bundle hangs on: what it is asked for, this Node, esbuild, and how it is used, which is this folder. */
function keyOf(file: string, patched: PatchedSources): string {
  how ??= digestOf([process.version, process.arch, process.env.NODE_PATH ?? '', esbuildVersion(), ...ownSources()])
  return digestOf([how, file, ...[...patched].flat()])
}

function esbuildVersion(): string {
  return (createRequire(import.meta.url)('esbuild/package.json') as { version: string }).version
}

function ownSources(): string[] {
  const own = fileURLToPath(new URL('.', import.meta.url))
  return fs.readdirSync(own).map((name) => fs.readFileSync(path.join(own, name), 'utf8'))
}

function read(place: string): { kept: Kept; code: string } | null {
  try {
    const text = fs.readFileSync(place, 'utf8')
    const end = text.indexOf('\n')
    const kept = JSON.parse(text.slice(0, end)) as Kept
    const code = text.slice(end + 1)
    return kept.digest === digestOf([code]) ? { kept, code } : null
  } catch {
    return null
  }
}

/** Whole or not at all, whoever else keeps the same one at the same time. */
function keep(place: string, { code, leaks, inputs }: Bundle, startedMs: number): void {
  const draft = `${place}.${crypto.randomBytes(8).toString('hex')}`
  try {
    const kept: Kept = { ...madeOf(inputs, startedMs), leaks, digest: digestOf([code]) }
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(draft, `${JSON.stringify(kept)}\n${code}`)
    fs.renameSync(draft, place)
    removeOldest()
  } catch {
    fs.rmSync(draft, { force: true })
  }
}

function removeOldest(): void {
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
