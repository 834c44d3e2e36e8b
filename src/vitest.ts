/** `onceproof/vitest`: importing it adds a matcher for idempotency layers to `expect`. */
import { expect } from 'vitest'
import { type EffectsOptions, judgeEffects } from './api/effects-once.ts'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: Vitest declares it with this parameter.
  interface Matchers<T = any> {
    /**
     * Plays the layer (an id, a path, a `file:` URL) in a simulation, and passes if every invariant
     * held and every goal was reached. If it fails, the message has the story of the most severe
     * finding, the command that replays it, and the report's page. Without a verdict, the matcher
     * fails, even after `not`. Takes seconds to minutes: give the test a matching timeout.
     * @example
     * ```ts no-run
     * import { expect, it } from 'vitest'
     * import 'onceproof/vitest'
     *
     * it('applies each effect once', { timeout: 300_000 }, async () => {
     *   await expect('./my-layer.ts').toApplyEffectsOnce({ runs: 100 })
     * })
     * ```
     */
    toApplyEffectsOnce(options?: EffectsOptions): Promise<void>
  }
}

/**
 * Milliseconds before Vitest's timeout at which the campaign is aborted, so that the message
 * arrives in time.
 */
const reportsWithinMs = 250

expect.extend({
  async toApplyEffectsOnce(layer: unknown, options: EffectsOptions = {}) {
    if (typeof layer !== 'string' && !(layer instanceof URL))
      throw new TypeError(
        'toApplyEffectsOnce: name the layer by its path, its id or its URL, as in expect("./my-layer.ts")',
      )
    const timeoutMs = this.task?.timeout
    const endsAtMs = (this.task?.result?.startTime ?? Date.now()) + (timeoutMs ?? 0)
    // Vitest does not stop the campaign at its timeout, and its message names no remedy.
    const signal = timeoutMs ? AbortSignal.timeout(Math.max(0, endsAtMs - reportsWithinMs - Date.now())) : undefined
    const { verdict, message } = await judgeEffects(layer, { ...(signal && { signal }), ...options }).catch((error) => {
      if (signal?.aborted !== true) throw error
      const time = `the campaign took longer than the ${timeoutMs} ms of the test`
      throw new Error(`toApplyEffectsOnce: ${time}; give it 300_000 ms, or fewer scenarios or runs`)
    })
    if (verdict === 'none') throw new Error(message)
    return { pass: verdict === 'holds', message: () => message }
  },
})
