import { createHash } from 'node:crypto'
import { bulkAt } from './command-key.ts'

/**
 * What a client sends on its own account around its commands: not a step of the layer under test.
 */
const handshake = new Set([
  'HELLO',
  'AUTH',
  'CLIENT',
  'INFO',
  'SELECT',
  'READONLY',
  'READWRITE',
  'ASKING',
  'CLUSTER',
  'PING',
  'COMMAND',
  'QUIT',
  'SCRIPT',
])

interface Script {
  readonly sha: string
  readonly short: string
  /** The label by its name; null for a script without one. */
  readonly label: string | null
}

/** Pure functions of a script's body, kept for all runs. */
const scripts = new Map<string, Script>()

/**
 * Names commands for people and for crash points: `GET`, `EVALSHA acquire`. A script is named by
 * the first word of its first comment, once its body was seen in this run (EVAL, SCRIPT LOAD);
 * until then by the beginning of its SHA-1. Each run learns for itself: what another run saw before
 * must not change this one.
 */
export class CommandLabels {
  readonly #byShort = new Map<string, string>()

  /**
   * Null for what a client sends on its own account. EVAL counts as EVALSHA: it is the same step.
   */
  of(args: readonly string[]): string | null {
    const name = (args[0] ?? '').toUpperCase()
    if (name === 'SCRIPT' && args[2] !== undefined) this.#note(args[2])
    if (handshake.has(name)) return null
    if (name === 'EVAL') return this.#ofScript(this.#note(args[1] ?? ''))
    if (name === 'EVALSHA') return this.#ofScript(args[1] ?? '')
    return name
  }

  /** The label of the first command in RESP bytes that a client writes. */
  ofBytes(bytes: string): string | null {
    const first = bulkAt(bytes, bytes.indexOf('\r\n') + 2)
    if (first === null) return null
    const name = first.text.toUpperCase()
    if (name !== 'EVAL' && name !== 'EVALSHA') return handshake.has(name) ? null : name
    const second = bulkAt(bytes, first.end)
    return second === null ? name : this.of([name, second.text])
  }

  /** A label that was given before the script's body was seen, as it would be given now. */
  renamed(label: string): string {
    return label.replace(/EVALSHA ([0-9a-f]{8})\b/, (whole, short: string) => this.#byShort.get(short) ?? whole)
  }

  /** Labels of the scripts whose bodies were seen, by the beginning of their SHA-1. */
  get known(): { readonly [short: string]: string } {
    return Object.fromEntries(this.#byShort)
  }

  #note(body: string): string {
    let script = scripts.get(body)
    if (script === undefined) scripts.set(body, (script = read(body)))
    if (script.label !== null) this.#byShort.set(script.short, script.label)
    return script.sha
  }

  #ofScript(sha: string): string {
    const short = sha.slice(0, 8)
    return this.#byShort.get(short) ?? `EVALSHA ${short}`
  }
}

function read(body: string): Script {
  const sha = createHash('sha1').update(body, 'latin1').digest('hex')
  const name = nameOfScript(body)
  return { sha, short: sha.slice(0, 8), label: name === null ? null : `EVALSHA ${name}` }
}

/** The first word of a script's first comment; null for a script that does not begin with one. */
export function nameOfScript(body: string): string | null {
  return /^\s*--+\s*([A-Za-z][\w-]*)/.exec(body)?.[1] ?? null
}
