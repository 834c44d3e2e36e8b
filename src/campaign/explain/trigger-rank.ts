/**
 * Ranks faults by how ordinary they are: the smaller the rank, the sooner the fault happens to a
 * layer in production. The reasons are in docs/how-it-works/root-causes.md.
 */
const ranks: Readonly<Record<string, number>> = {
  // Any broker delivers at least once, and each deployment of a layer ends processes.
  ...ranked(1, ['redelivery', 'duplicate-delivery', 'lost-acknowledgement', 'out-of-order']),
  ...ranked(1, ['crash', 'slow-effect', 'effect-fails-before', 'effect-fails-after', 'poison']),
  ...ranked(2, ['pause']),
  ...ranked(3, ['lost-reply', 'lost-request', 'connection-reset', 'connection-limit', 'partition', 'half-open']),
  ...ranked(3, ['slow-link', 'dns-failure', 'slow-redis', 'slow-postgres', 'slow-dynamodb', 'postgres-connections']),
  ...ranked(3, ['error-reply', 'dynamodb-error', 'dynamodb-throttled', 'redis-busy']),
  ...ranked(4, ['redis-restart', 'redis-loading', 'scripts-flushed', 'postgres-restart', 'postgres-failover']),
  ...ranked(4, ['machine-cut-off', 'machine-restart', 'machine-added', 'machine-forgotten', 'commit-past']),
  ...ranked(4, ['redis-flushed', 'eviction', 'redis-out-of-memory']),
  ...ranked(5, ['clock-step', 'clock-drift', 'clock-frozen']),
  ...ranked(6, ['late-copy']),
}

/** The rank of faults that are not listed. */
const rarest = 7

function ranked(rank: number, kinds: readonly string[]): { [kind: string]: number } {
  return Object.fromEntries(kinds.map((kind) => [kind, rank]))
}

export const rankedFaults = Object.keys(ranks)

/** The rank of the rarest of the faults; 0 without any. */
export const triggerRank = (needs: readonly string[]): number =>
  Math.max(0, ...needs.map((kind) => ranks[kind] ?? rarest))
