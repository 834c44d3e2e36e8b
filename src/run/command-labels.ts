import { createHash } from 'node:crypto'
import { bulkAt } from './command-key.ts'

/** Commands that a client library sends by itself. They are not steps of the layer under test. */
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
  /** The label with the name of the script; null for a script without a name. */
  readonly label: string | null
}

/** A cache for all runs, because the results depend only on the body of the script. */
const scripts = new Map<string, Script>()

/**
 * Labels commands for people and for crash points: `GET`, `EVALSHA acquire`. Once the body of a
 * script has been seen in this run (EVAL, SCRIPT LOAD), the script is labelled by the first word of
 * its first comment; before that, by the beginning of its SHA-1. Each run starts without known
 * bodies, so that no run changes the labels of another.
 */
export class CommandLabels {
  readonly #byShort = new Map<string, string>()

  /**
   * The label of a command; null for commands that a client library sends by itself. EVAL is
   * labelled as EVALSHA, because it is the same step of the layer.
   */
  of(args: readonly string[]): string | null {
    const name = (args[0] ?? '').toUpperCase()
    if (name === 'SCRIPT' && args[2] !== undefined) this.#note(args[2])
    if (handshake.has(name)) return null
    if (name === 'EVAL') return this.#ofScript(this.#note(args[1] ?? ''))
    if (name === 'EVALSHA') return this.#ofScript(args[1] ?? '')
    return name
  }

  /** The label of the first command in the RESP bytes that a client sends. */
  ofBytes(bytes: string): string | null {
    const first = bulkAt(bytes, bytes.indexOf('\r\n') + 2)
    if (first === null) return null
    const name = first.text.toUpperCase()
    if (name !== 'EVAL' && name !== 'EVALSHA') return handshake.has(name) ? null : name
    const second = bulkAt(bytes, first.end)
    return second === null ? name : this.of([name, second.text])
  }

  /** Updates a label that was made before the body of the script was seen. */
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
