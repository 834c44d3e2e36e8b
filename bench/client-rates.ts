/**
 * Measures the same layer on each Node client: the marker of `test/clients`, whose commands do not
 * depend on the client.
 */
import { fileURLToPath } from 'node:url'
import { type LayerRate, measureLayerRates, type RatePlan } from './layer-rates.ts'

/** The clients. The others are compared with the first one. */
const clients = ['ioredis-6', 'node-redis-6', 'node-redis-5', 'node-redis-4', 'ioredis-5', 'ioredis-4', 'iovalkey']

/** The minimum share of the first client's rate that a client should reach. */
export const shareAims: Readonly<Record<string, number>> = { 'node-redis-6': 0.5 }

export function measureClients(
  plan: RatePlan & { readonly print: (line: string) => void },
): Promise<readonly LayerRate[]> {
  plan.print('one layer on each client')
  return measureLayerRates(
    clients.map((name) => ({
      name,
      file: fileURLToPath(new URL(`../test/clients/layers/${name}.ts`, import.meta.url)),
    })),
    plan,
  )
}
