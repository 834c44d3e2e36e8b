import { type Child, ChildError, startChild } from '../../bench/children.ts'
import type { Made } from './maker-child.ts'

/** The child's program, relative to bench/. */
export const program = '../tools/tokens/maker-child.ts'

/**
 * The version that made the tokens, in a separate process. If a token crashes the process, a new
 * one is started.
 */
export class Maker {
  #child: Promise<Child<string, Made | null>> | null = null

  constructor(private readonly checkout: string) {}

  async ask(token: string): Promise<Made | null> {
    this.#child ??= startChild(program, [this.checkout], { loadsSources: true })
    try {
      return await (await this.#child).ask(token)
    } catch (error) {
      if (error instanceof ChildError && error.kind === 'Exit') this.#child = null
      throw error
    }
  }

  async close(): Promise<void> {
    await (await this.#child)?.close()
  }
}
