import { quote } from '../src/compare/quote.ts'

/** One thing that happens to both servers. Strings are byte strings (latin1). */
export type Step =
  /** One command on one of the sequence's connections, and its one reply. */
  | { readonly kind: 'command'; readonly on: number; readonly args: readonly string[] }
  /**
   * Bytes as they are, and how many replies to await, or that the server hangs up; 0 leaves them
   * for a later step.
   */
  | { readonly kind: 'raw'; readonly on: number; readonly bytes: string; readonly replies: number | 'close' }
  /** Real time passes, so that what was about to expire has expired on both. */
  | { readonly kind: 'sleep'; readonly ms: number }

/** Steps that start from empty servers with an empty script cache. */
export interface Sequence {
  readonly name: string
  readonly connections: number
  readonly steps: readonly Step[]
  /**
   * Its replies and values carry clock readings: numbers may differ as far as two clocks read one
   * after the other.
   */
  readonly timed?: boolean
}

export function command(on: number, ...args: string[]): Step {
  return { kind: 'command', on, args }
}

/** As a person would type it, for reports. */
export function describeStep(step: Step): string {
  if (step.kind === 'sleep') return `sleep ${step.ms} ms`
  const words = step.kind === 'raw' ? `raw ${quote(step.bytes)}` : step.args.map(quote).join(' ')
  return `[${step.on}] ${words}`
}
