import type { LoadedImplementation } from '../adapters/load-implementation.ts'
import { describe } from './consumers.ts'

/** Matches programming errors. Errors from stores and sinks have other names. */
const mistake = /^(TypeError|ReferenceError|RangeError|SyntaxError): /
/** The stack of a recursion has thousands of lines. */
const mostFrames = 5

/** The first error of a layer in a run without faults, with the user's lines of its stack. */
export class FirstError {
  #first: { readonly text: string; readonly stack: string } | null = null
  /** True if all errors so far were programming errors. */
  isMistake = true

  constructor(private readonly sources: LoadedImplementation['sources']) {}

  note(error: unknown): void {
    const text = describe(error)
    if (!mistake.test(text)) this.isMistake = false
    this.#first ??= { text, stack: error instanceof Error ? String(error.stack) : '' }
  }

  /** Null if there was no error. */
  get text(): string | null {
    if (this.#first === null) return null
    const { text, stack } = this.#first
    const frames = this.sources?.framesOf(stack).slice(0, mostFrames) ?? []
    return [text, ...frames].join('\n')
  }
}
