/** One thing that happens to both servers. Strings are byte strings (latin1). */
export type Step =
  /** One command on one of the sequence's connections, and its one reply. */
  | { readonly kind: 'command'; readonly on: number; readonly args: readonly string[] }
  /** Bytes as they are, and how many replies to await, or that the server hangs up; 0 leaves them for a later step. */
  | { readonly kind: 'raw'; readonly on: number; readonly bytes: string; readonly replies: number | 'close' }
  /** Real time passes, so that what was about to expire has expired on both. */
  | { readonly kind: 'sleep'; readonly ms: number }

/** Steps that start from empty servers with an empty script cache. */
export interface Sequence {
  readonly name: string
  readonly connections: number
  readonly steps: readonly Step[]
  /** Its replies and values carry clock readings: numbers may differ as far as two clocks read one after the other. */
  readonly timed?: boolean
}

export function command(on: number, ...args: string[]): Step {
  return { kind: 'command', on, args }
}

export function encodeCommand(args: readonly string[]): string {
  return `*${args.length}\r\n${args.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join('')}`
}

/** As a person would type it, for reports. */
export function describeStep(step: Step): string {
  if (step.kind === 'sleep') return `sleep ${step.ms} ms`
  const words = step.kind === 'raw' ? `raw ${quote(step.bytes)}` : step.args.map(quote).join(' ')
  return `[${step.on}] ${words}`
}

export function quote(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) && !/["'\\]/.test(text)
    ? text
    : `"${text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`
}
