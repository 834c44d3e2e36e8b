/**
 * Measures how many runs per second the simulator plays of each of several layers. The layers
 * alternate.
 */
import { startChild } from './children.ts'
import { here, v8FlagsOf } from './compiled.ts'
import type { Spread } from './spread.ts'

export interface LayerRate {
  readonly name: string
  /** Runs per second of CPU time. */
  readonly runsPerSecond: Spread
  /** The rate relative to the first layer's rate in the same round. */
  readonly share: Spread
}

export interface RatedLayer {
  readonly name: string
  readonly file: string
}

export interface RatePlan {
  readonly rounds: number
  readonly quick: boolean
}

export interface LayerRatesQuestion extends RatePlan {
  readonly layers: readonly RatedLayer[]
}

export async function measureLayerRates(
  layers: readonly RatedLayer[],
  { rounds, quick }: RatePlan,
): Promise<readonly LayerRate[]> {
  const child = await startChild<LayerRatesQuestion, readonly LayerRate[]>('layer-rates-child.ts', [], {
    flags: await v8FlagsOf(here),
  })
  try {
    return await child.ask({ layers, rounds, quick })
  } finally {
    await child.close()
  }
}
