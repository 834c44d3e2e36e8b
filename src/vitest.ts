/** `onceproof/vitest`: importing it gives `expect` a matcher for idempotency layers. */
import { expect } from 'vitest'
import { type EffectsOptions, judgeEffects } from './api/effects-once.ts'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: Vitest declares it with this parameter.
  interface Matchers<T = any> {
    /**
     * Plays the layer (an id, a path, a `file:` URL) in a simulated world, and passes where every invariant held and every
     * goal was reached. Where it fails, the message is the story of the gravest finding, the command that replays it, and the
     * report's page. Without a verdict it fails, with `not` as well. Takes seconds to minutes: give the test time for it.
     */
    toApplyEffectsOnce(options?: EffectsOptions): Promise<void>
  }
}

expect.extend({
  async toApplyEffectsOnce(layer: unknown, options: EffectsOptions = {}) {
    if (typeof layer !== 'string' && !(layer instanceof URL))
      throw new TypeError(
        'toApplyEffectsOnce: name the layer by its path, its id or its URL, as in expect("./my-layer.ts")',
      )
    const { verdict, message } = await judgeEffects(layer, options)
    if (verdict === 'none') throw new Error(message)
    return { pass: verdict === 'holds', message: () => message }
  },
})
