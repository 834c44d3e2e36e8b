/** Finds the scripts of a run that can write: their text calls a writing command. */
import { createHash } from 'node:crypto'
import { findCommand } from 'redis-sim'
import type { ExecutedCommand } from './request.ts'

const calls = /call\(\s*["'](\w+)["']/g

/** The properties of each script, by its text. */
const known = new Map<string, Read>()

interface Read {
  readonly sha: string
  /** The writing commands, in lower case. */
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

/** The hashes of the writing scripts that were sent in full. */
export function writingScripts(executed: readonly ExecutedCommand[]): ReadonlySet<string> {
  return new Set(executed.flatMap(readSent).flatMap(({ sha, writes }) => (writes.length > 0 ? sha : [])))
}

/** The script that a command carries. */
function readSent({ args: [name = '', first = '', second = ''] }: ExecutedCommand): Read | [] {
  if (/^eval$/i.test(name)) return read(first)
  return /^script$/i.test(name) && /^load$/i.test(first) ? read(second) : []
}

/** The writing commands in the text of a script; null if the run does not have the text. */
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

/**
 * The scripts that were sent, by hash. The result is cached, because the function is called for
 * each command of a run.
 */
function sentIn(executed: readonly ExecutedCommand[]): Sent['bySha'] {
  const before = sent.get(executed)
  if (before?.length === executed.length) return before.bySha
  const bySha = new Map(executed.flatMap(readSent).map((one) => [one.sha, one]))
  sent.set(executed, { length: executed.length, bySha })
  return bySha
}

/**
 * True if the command executes a script that can write. False if the run does not have the text of
 * the script.
 */
export function isWritingScript({ args }: ExecutedCommand, writing: ReadonlySet<string>): boolean {
  const [name, first = ''] = args
  if (/^evalsha$/i.test(name!)) return writing.has(first.toLowerCase())
  return /^eval$/i.test(name!) && read(first).writes.length > 0
}
