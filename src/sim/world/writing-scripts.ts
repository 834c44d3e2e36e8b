/** Which scripts of a run can write: those whose text calls a command that does. */
import { createHash } from 'node:crypto'
import { findCommand } from 'redis-sim'
import type { ExecutedCommand } from './request.ts'

const calls = /call\(\s*["'](\w+)["']/g

/** By the text of a script. */
const known = new Map<string, Read>()

interface Read {
  readonly sha: string
  /** The commands that write, in lower case. */
  readonly writes: readonly string[]
}

function read(body: string): Read {
  let found = known.get(body)
  if (found === undefined) {
    const sha = createHash('sha1').update(body, 'latin1').digest('hex')
    const writes = [...body.matchAll(calls)].map(([, name]) => name!.toLowerCase()).filter(isWrite)
    known.set(body, (found = { sha, writes }))
  }
  return found
}

const isWrite = (name: string): boolean => findCommand(name)?.flagNames.includes('write') === true

/** The hashes of the scripts that were sent in full and write. */
export function writingScripts(executed: readonly ExecutedCommand[]): ReadonlySet<string> {
  return new Set(executed.flatMap(readSent).flatMap(({ sha, writes }) => (writes.length > 0 ? sha : [])))
}

/** The script that a command brings with it. */
function readSent({ args: [name = '', first = '', second = ''] }: ExecutedCommand): Read | [] {
  if (/^eval$/i.test(name)) return read(first)
  return /^script$/i.test(name) && /^load$/i.test(first) ? read(second) : []
}

/** Which commands that write the text of a script calls; null if the run does not have the text. */
export function writesOfScript(
  command: ExecutedCommand,
  executed: readonly ExecutedCommand[],
): readonly string[] | null {
  const [name = '', first = ''] = command.args
  if (/^eval$/i.test(name)) return read(first).writes
  return /^evalsha$/i.test(name) ? (sentIn(executed).get(first.toLowerCase())?.writes ?? null) : null
}

interface Sent {
  readonly length: number
  readonly bySha: ReadonlyMap<string, Read>
}

const sent = new WeakMap<readonly ExecutedCommand[], Sent>()

/** By their hashes. A run is asked for each of its commands. */
function sentIn(executed: readonly ExecutedCommand[]): Sent['bySha'] {
  const before = sent.get(executed)
  if (before?.length === executed.length) return before.bySha
  const bySha = new Map(executed.flatMap(readSent).map((one) => [one.sha, one]))
  sent.set(executed, { length: executed.length, bySha })
  return bySha
}

/** False for a script whose text the run does not have. */
export function isWritingScript({ args }: ExecutedCommand, writing: ReadonlySet<string>): boolean {
  const [name, first = ''] = args
  if (/^evalsha$/i.test(name!)) return writing.has(first.toLowerCase())
  return /^eval$/i.test(name!) && read(first).writes.length > 0
}
