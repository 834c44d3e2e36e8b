/**
 * A refusal that does not reach Redis. An operator who settles the doubt may permit another
 * attempt.
 */
import { describe, expect, it } from 'vitest'
import reference from '../../implementations/reference/reference.ts'
import reconciles from '../../implementations/reference/reference-reconciles.ts'
import settles from '../../implementations/reference/reference-settles.ts'
import type { Implementation } from '../../src/contract/api/implementation.ts'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import { play } from '../sim/world-lab.ts'

const once = (kind: string, boundary: string, more: object): PlannedFault =>
  ({ kind, when: { at: boundary, consumer: 0, nth: 1 }, ...more }) as unknown as PlannedFault

/** The sink refuses. From then on, Redis is silent for longer than the layer waits. */
async function firstAnswer(adapter: Implementation, sink: SinkKind): Promise<string | undefined> {
  const faults = [
    once('slow-redis', 'effect-unapplied', { healAfterMs: 6000 }),
    once('effect-fails-before', 'effect-unapplied', { how: 'refuse' }),
  ]
  const played = await play(adapter, { faults, sink, visibilityMs: 60_000, maxAttempts: 20 })
  expect(played.unsupported).toEqual([])
  expect(played.of('fault-struck')).toHaveLength(2)
  return played.of('answered')[0]?.outcome.status
}

describe('a refusal that is not recorded', () => {
  it.each<[string, Implementation, SinkKind]>([
    ['a fenced sink', reference, 'fenced'],
    ['a sink that is queried', reconciles, 'fenced'],
    ['an operator who settles it', settles, 'fenced'],
  ])('is not answered if another attempt may come: %s', async (_, adapter, sink) => {
    expect(await firstAnswer(adapter, sink)).toBe('retry')
  })

  it.each<[string, SinkKind]>([
    ['the doubt is never settled', 'plain'],
    ['the sink remembers it', 'keyed'],
  ])('is answered if %s', async (_, sink) => {
    expect(await firstAnswer(reference, sink)).toBe('refused')
  })
})
