import { createHash } from 'node:crypto'

/** What a client sends on its own account around its commands: not a step of the layer under test. */
const handshake = new Set([
  'HELLO',
  'AUTH',
  'CLIENT',
  'INFO',
  'SELECT',
  'READONLY',
  'READWRITE',
  'PING',
  'COMMAND',
  'QUIT',
  'SCRIPT',
])

/** SHA-1 of a script to a name that a person knows: the first word of its first comment. */
const scriptNames = new Map<string, string>()
const shaOfBody = new Map<string, string>()

/** Keeps the name of a script whose body was seen (EVAL, SCRIPT LOAD). */
export function noteScript(body: string): string {
  let sha = shaOfBody.get(body)
  if (sha === undefined) {
    sha = createHash('sha1').update(body, 'latin1').digest('hex')
    shaOfBody.set(body, sha)
    const name = /^\s*--+\s*([A-Za-z][\w-]*)/.exec(body)?.[1]
    scriptNames.set(sha, name ?? sha.slice(0, 8))
  }
  return sha
}

/** `GET`, `EVALSHA acquire`; null for handshake commands. EVAL counts as EVALSHA: it is the same step. */
export function commandLabel(args: readonly string[]): string | null {
  const name = (args[0] ?? '').toUpperCase()
  if (handshake.has(name)) return null
  if (name === 'EVAL') return evalLabel(noteScript(args[1] ?? ''))
  if (name === 'EVALSHA') return evalLabel(args[1] ?? '')
  return name
}

const evalLabels = new Map<string, string>()

function evalLabel(sha: string): string {
  const name = scriptNames.get(sha)
  if (name === undefined) return `EVALSHA ${sha.slice(0, 8)}`
  let label = evalLabels.get(name)
  if (label === undefined) evalLabels.set(name, (label = `EVALSHA ${name}`))
  return label
}

/** The label of the first command in RESP bytes that a client writes (https://redis.io/docs/latest/develop/reference/protocol-spec/). */
export function labelOfBytes(bytes: string): string | null {
  const first = bulkAt(bytes, bytes.indexOf('\r\n') + 2)
  if (first === null) return null
  const name = first.text.toUpperCase()
  if (name !== 'EVAL' && name !== 'EVALSHA') return handshake.has(name) ? null : name
  const second = bulkAt(bytes, first.end)
  return second === null ? name : commandLabel([name, second.text])
}

function bulkAt(bytes: string, at: number): { text: string; end: number } | null {
  if (bytes.charCodeAt(at) !== 36) return null
  const line = bytes.indexOf('\r\n', at)
  const length = Number(bytes.slice(at + 1, line))
  const start = line + 2
  return { text: bytes.slice(start, start + length), end: start + length + 2 }
}
