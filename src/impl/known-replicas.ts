/**
 * What Sentinels and the nodes of a Cluster say of a primary's replicas, those that are down too.
 */

export interface KnownReplicas {
  /** Who says so, for an operator. */
  readonly by: string
  readonly all: number
  /** Those that may take the primary's place. */
  readonly electable: number
}

/**
 * How many must have acknowledged what no failover may forget. WAIT does not say who acknowledged,
 * so one that cannot be elected would stand in for one that can: where any can be, all are counted.
 */
export function mustAcknowledge({ all, electable }: KnownReplicas): number {
  return electable === 0 ? 0 : all
}

type Fields = readonly string[]

/**
 * From SENTINEL MASTER and SENTINEL REPLICAS. The second leaves out those with `replica-announced
 * no`, which may be elected all the same; the first counts them. Throws where it does not: a count
 * that is unknown is never few enough.
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
 * From CLUSTER NODES, as the primary itself answers; throws where the node that answers is none.
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
