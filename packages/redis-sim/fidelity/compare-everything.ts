/**
 * One server, several with replicas, a Cluster, and Sentinels, one after the other; and what is
 * told of it.
 */
import { compareAll } from './campaign.ts'
import { compareClusters } from './cluster/compare.ts'
import { printClusters } from './cluster/report.ts'
import type { RedisChoice } from './redis-choice.ts'
import { compareReplication, differencesOf } from './replication/compare-replication.ts'
import { printReplication, replicationToJson } from './replication/report.ts'
import { printReport, toJson } from './report.ts'
import { compareSentinels } from './sentinel/compare.ts'
import { printSentinels } from './sentinel/report.ts'

/** As they were given on the command line. */
export interface Options {
  readonly seed: number
  readonly commands: number
  readonly scripts: number
  readonly json?: boolean
  readonly replication: boolean
  readonly sentinels: boolean
  readonly clusters: boolean
}

/** Prints what it finds. Resolves to the number of differences. */
export async function compareEverything(redis: RedisChoice & { kind: 'ready' }, options: Options): Promise<number> {
  const result = await compareAll(redis, options)
  // Servers of one's own are started and killed, which one that runs already is not for.
  const { program } = redis
  const replication = options.replication && program !== undefined ? await compareReplication(program, options) : null
  const clusters = options.clusters && program !== undefined ? await compareClusters(program) : null
  const sentinels = options.sentinels && program !== undefined ? await compareSentinels(program) : null
  if (options.json)
    console.log(
      JSON.stringify({
        ...toJson(result),
        replication: replicationToJson(replication),
        sentinels,
        clusters,
      }),
    )
  else {
    printReport(result)
    if (replication !== null) printReplication(replication)
    if (sentinels !== null) printSentinels(sentinels)
    if (clusters !== null) printClusters(clusters)
  }
  const replicated = replication === null ? 0 : differencesOf(replication)
  return (
    result.differences.length + replicated + (sentinels?.differences.length ?? 0) + (clusters?.differences.length ?? 0)
  )
}
