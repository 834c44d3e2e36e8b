/**
 * Compares the simulator with the alternatives that users have, and measures single operations and
 * memory.
 */
import { spawnSync } from 'node:child_process'
import { startChild } from './children.ts'
import type { CostResult, MemoryResult, PeerResults } from './results.ts'
import { measureContenders } from './rounds.ts'

/** The version line of redis-server; null if it is not on the path. */
function redisServerVersion(): string | null {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

export interface PeersPlan {
  readonly rounds: number
  readonly quick: boolean
  readonly print: (line: string) => void
}

export async function measurePeers({ rounds, quick, print }: PeersPlan): Promise<PeerResults> {
  const hasRedis = redisServerVersion() !== null
  const without = hasRedis ? [] : (['real-redis'] as const)
  const compared = await measureContenders({ rounds, quick, without, print })
  print('single operations')
  const costs = await askOnce<CostResult[]>('costs-child.ts', { rounds, quick })
  print('memory')
  const readAt = [2000, 10_000, 20_000].map((runs) => (quick ? runs / 10 : runs))
  const memory = await askOnce<MemoryResult>('memory-child.ts', { readAt }, ['--expose-gc'])
  const skipped = hasRedis ? [] : [{ name: 'real-redis', reason: 'there is no redis-server on the path' }]
  return { ...compared, costs, memory, skipped }
}

async function askOnce<Answer>(file: string, question: object, flags: readonly string[] = []): Promise<Answer> {
  const child = await startChild<object, Answer>(file, [], { flags })
  try {
    return await child.ask(question)
  } finally {
    await child.close()
  }
}
