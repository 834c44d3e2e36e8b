/**
 * None of our layers may fail because of the result of an effect: an article would be blamed for a
 * mistake in our adapter.
 */
import { expect, it } from 'vitest'
import { catalogue } from '../../src/cli/catalogue.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import type { ResultStyle } from '../../src/contract/api/plan.ts'
import { play } from '../sim/world-lab.ts'

const deps = createDeps(() => false)
const folders = /[\\/]implementations[\\/](articles|suggested|repaired|correct|reference)[\\/][^\\/]+\.ts$/
const layers = catalogue('implementation').filter(({ path }) => folders.test(path))
const styles: readonly ResultStyle[] = ['nothing', 'empty-text']

it('the layers of all folders are found', () => {
  expect(layers.length).toBeGreaterThan(70)
})

it.each(layers)(
  '$id answers done to a copy of a completed message, whatever the result of the effect',
  async (layer) => {
    const loaded = await deps.loadImplementation(layer.path)
    const { sinks, shapes = ['single'] } = loaded.implementation
    // Other tests play its shape.
    if (!shapes.includes('single')) return
    const sink = sinks?.[0] ?? 'plain'
    for (const results of styles) {
      const messages = [0, 5000].map((publishAtMs) => ({ key: 'order-1', payload: { order: 1 }, publishAtMs }))
      const { of } = await play(loaded, { results, sink, messages, leaseMs: 3000, visibilityMs: 60_000, record: false })
      const settled = of('settled').map(({ as }) => as)
      expect([results, ...settled]).toEqual([results, expect.stringMatching(/^(done|accepted)$/), 'done'])
    }
  },
)
