/** Which scripts of a run can write: those whose text calls a command that does. */
import { createHash } from 'node:crypto'
import { findCommand } from 'redis-sim'
import type { ExecutedCommand } from './request.ts'

const calls = /call\(\s*["'](\w+)["']/g

/** By the text of a script. */
const known = new Map<string, { readonly sha: string; readonly writes: boolean }>()

/** Its hash, and if it writes. */
function read(body: string): { readonly sha: string; readonly writes: boolean } {
  let found = known.get(body)
  if (found === undefined) {
    const sha = createHash('sha1').update(body, 'latin1').digest('hex')
    const writes = [...body.matchAll(calls)].some(([, name]) => isWrite(name!))
    known.set(body, (found = { sha, writes }))
  }
  return found
}

const isWrite = (name: string): boolean => findCommand(name.toLowerCase())?.flagNames.includes('write') === true

/** The hashes of the scripts that were sent in full and write. */
export function writingScripts(executed: readonly ExecutedCommand[]): ReadonlySet<string> {
  const writing = new Set<string>()
  for (const { args } of executed) {
    const [name, first, second] = args
    const body = /^eval$/i.test(name!) ? first : /^script$/i.test(name!) && /^load$/i.test(first ?? '') ? second : null
    if (typeof body !== 'string') continue
    const { sha, writes } = read(body)
    if (writes) writing.add(sha)
  }
  return writing
}

/** False for a script whose text the run does not have. */
export function isWritingScript({ args }: ExecutedCommand, writing: ReadonlySet<string>): boolean {
  const [name, first = ''] = args
  if (/^evalsha$/i.test(name!)) return writing.has(first.toLowerCase())
  return /^eval$/i.test(name!) && read(first).writes
}
