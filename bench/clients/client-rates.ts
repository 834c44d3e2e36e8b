/** How many runs a second the simulator plays of one layer on different clients. */
import { startChild } from '../children.ts'
import type { Spread } from '../spread.ts'

export interface ClientRate {
  readonly client: string
  /** For each second of CPU time. */
  readonly runsPerSecond: Spread
  /** Of the rate of ioredis 6 in the same round. */
  readonly share: Spread
}

export interface ClientsQuestion {
  readonly clients: readonly string[]
  readonly rounds: number
  readonly quick: boolean
}

/** What the others are compared with. */
export const yardstick = 'ioredis-6'

const clients = [yardstick, 'node-redis-6', 'node-redis-5', 'node-redis-4', 'ioredis-5', 'ioredis-4', 'iovalkey']

/** What a client's share is to be at least. */
export const shareAims: Readonly<Record<string, number>> = { 'node-redis-6': 0.5 }

export async function measureClients(plan: {
  readonly rounds: number
  readonly quick: boolean
  readonly tell: (line: string) => void
}): Promise<readonly ClientRate[]> {
  plan.tell('one layer on each client')
  const child = startChild<ClientsQuestion, readonly ClientRate[]>('./clients/clients-child.ts', [], {})
  try {
    return await child.ask({ clients, rounds: plan.rounds, quick: plan.quick })
  } finally {
    await child.close()
  }
}
