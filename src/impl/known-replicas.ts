/**
 * The replicas of a primary as Sentinels and Cluster nodes know them, including dead ones.
 */

export interface KnownReplicas {
  /** The source of the numbers, for an operator. */
  readonly by: string
  readonly all: number
  /** Replicas that may be promoted. */
  readonly electable: number
}

/**
 * How many replicas must acknowledge a begin so that no failover loses it. WAIT does not report
 * which replicas acknowledged, so if any of them can be elected, all must acknowledge.
 */
export function mustAcknowledge({ all, electable }: KnownReplicas): number {
  return electable === 0 ? 0 : all
}

type Fields = readonly string[]

/**
 * Reads the replies to SENTINEL MASTER and SENTINEL REPLICAS. REPLICAS omits replicas with
 * `replica-announced no`, which can still be elected; MASTER counts them. Throws if MASTER has no
 * count, because an unknown count must not be taken for a small one.
 */
export function bySentinel(name: string, master: Fields, replicas: readonly Fields[]): KnownReplicas {
  const counted = Number(field(master, 'num-slaves') ?? Number.NaN)
  if (!Number.isInteger(counted)) throw new Error(`Sentinel does not say how many replicas ${name} has`)
  const all = Math.max(replicas.length, counted)
  const barred = replicas.filter((replica) => field(replica, 'slave-priority') === '0').length
  return { by: `Sentinel, asked for ${name},`, all, electable: all - barred }
}

function field(fields: Fields, name: string): string | undefined {
  for (let at = 0; at + 1 < fields.length; at += 2) if (fields[at] === name) return fields[at + 1]
  return undefined
}

/**
 * Reads the primary's reply to CLUSTER NODES. Throws if the node is a replica.
 */
export function byNode(nodes: string): KnownReplicas {
  const lines = nodes.split('\n').map((line) => line.split(' '))
  const flagsOf = (line: readonly string[]) => line[2]?.split(',') ?? []
  const myself = lines.find((line) => flagsOf(line).includes('myself'))
  if (myself === undefined || !flagsOf(myself).includes('master')) throw new Error('the node is not a primary any more')
  const replicas = lines.filter((line) => line[3] === myself[0])
  const barred = replicas.filter((line) => flagsOf(line).includes('nofailover')).length
  return { by: `the node ${myself[1]?.split('@')[0]}`, all: replicas.length, electable: replicas.length - barred }
}
