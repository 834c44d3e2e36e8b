/** The selected implementations, loaded once to see that they can be, and that they can use the sink. */
import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import type { Implementation } from '../contract/implementation.ts'
import type { SinkKind } from '../contract/sink.ts'
import { choose } from './choose.ts'
import type { Selected } from './select.ts'
import { UsageError } from './usage-error.ts'

export interface WantedLayers {
  /** Without names: the reference. */
  readonly implementations: readonly string[] | undefined
  readonly sink: SinkKind
}

export interface ChosenLayer extends Selected {
  readonly implementation: Implementation
}

/** @throws UsageError, LoadError */
export async function chooseLayers(wanted: WantedLayers, deps: CampaignDeps): Promise<ChosenLayer[]> {
  const selected = await choose('implementation', wanted.implementations ?? ['reference'], deps)
  const layers: ChosenLayer[] = []
  for (const one of selected) {
    const { implementation } = await deps.loadImplementation(one.path)
    const { sinks = ['plain'] } = implementation
    if (!sinks.includes(wanted.sink))
      throw new UsageError(`--sink ${wanted.sink}`, `${one.name} says that it can use ${sinks.join(' and ')} only`)
    layers.push({ ...one, implementation })
  }
  return layers
}
