/** Measures the reference on each store, and the cost of a `pg` statement in the simulator. */
import { fileURLToPath } from 'node:url'
import { startChild } from '../children.ts'
import { type LayerRate, measureLayerRates, type RatePlan } from '../layer-rates.ts'
import type { Spread } from '../spread.ts'

/** The minimum share of the first layer's rate that a layer should reach. */
export const storeAims: Readonly<Record<string, number>> = { 'reference-postgres-outside': 1 / 3 }

/** The minimum share of the rate with canned replies that the simulator should reach. */
export const statementAim = 0.5

export interface StatementRates {
  /** Statements per second of CPU time with canned replies. */
  readonly canned: Spread
  readonly simulated: Spread
  /** The simulator's rate relative to the rate with canned replies in the same round. */
  readonly share: Spread
}

export interface StoreRates {
  readonly layers: readonly LayerRate[]
  readonly statements: StatementRates
}

const layers = ['reference', 'reference-postgres-outside']

export async function measureStores(plan: RatePlan & { readonly print: (line: string) => void }): Promise<StoreRates> {
  plan.print('the reference on each store')
  const fileOf = (id: string) => fileURLToPath(new URL(`../../implementations/reference/${id}.ts`, import.meta.url))
  const rates = await measureLayerRates(
    layers.map((name) => ({ name, file: fileOf(name) })),
    plan,
  )
  plan.print('statements of pg')
  const child = await startChild<RatePlan, StatementRates>('stores/statements-child.ts', [])
  try {
    return { layers: rates, statements: await child.ask({ rounds: plan.rounds, quick: plan.quick }) }
  } finally {
    await child.close()
  }
}
