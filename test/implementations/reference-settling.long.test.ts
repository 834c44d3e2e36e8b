/**
 * The entry points of the reference that settle doubts, on sinks that can be queried. No matrix has
 * them.
 */
import { expect, it } from 'vitest'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import { firstBreak, scenariosOf } from './played.ts'

it.each<[string, SinkKind]>([
  ['reference-reconciles', 'keyed'],
  ['reference-reconciles', 'fenced'],
  ['reference-settles', 'keyed'],
  ['reference-settles', 'fenced'],
])(
  '%s holds on a %s sink in each scenario',
  async (layer, sink) => {
    const scenarios = await scenariosOf(layer, sink)
    expect(scenarios).toContain('stale-message')
    // Twelve runs have each aimed draw once.
    for (const scenario of scenarios)
      expect(await firstBreak({ layer, scenario, sink, runs: 12, seed: 6 }), scenario).toBeNull()
  },
  240_000,
)
