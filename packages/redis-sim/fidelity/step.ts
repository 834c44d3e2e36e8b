import { quote } from '../src/compare/quote.ts'

/** One step, which is performed on both servers. Strings are byte strings (latin1). */
export type Step =
  /** One command on one connection of the sequence, with one reply. */
  | { readonly kind: 'command'; readonly on: number; readonly args: readonly string[] }
  /**
   * Raw bytes, and the number of replies to wait for, or `close` if the server closes the
   * connection. 0 leaves the replies to a later step.
   */
  | { readonly kind: 'raw'; readonly on: number; readonly bytes: string; readonly replies: number | 'close' }
  /** Waits in real time, so that short deadlines have passed on both servers. */
  | { readonly kind: 'sleep'; readonly ms: number }

/** A series of steps. It begins on servers without data and without cached scripts. */
export interface Sequence {
  readonly name: string
  readonly connections: number
  readonly steps: readonly Step[]
  /**
   * True if replies and values contain clock values, which may differ by the time between two clock
   * reads.
   */
  readonly timed?: boolean
}

export function command(on: number, ...args: string[]): Step {
  return { kind: 'command', on, args }
}

/** The step as text for reports. */
export function describeStep(step: Step): string {
  if (step.kind === 'sleep') return `sleep ${step.ms} ms`
  const words = step.kind === 'raw' ? `raw ${quote(step.bytes)}` : step.args.map(quote).join(' ')
  return `[${step.on}] ${words}`
}
