/**
 * Compares one server, servers with replicas, a Cluster, and Sentinels, one after the other, and
 * prints the results.
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

/** The options of the command line. */
export interface Options {
  readonly seed: number
  readonly commands: number
  readonly scripts: number
  readonly json?: boolean
  readonly replication: boolean
  readonly sentinels: boolean
  readonly clusters: boolean
}

/** Prints the findings. Resolves to the number of differences. */
export async function compareEverything(redis: RedisChoice & { kind: 'ready' }, options: Options): Promise<number> {
  const result = await compareAll(redis, options)
  // The comparisons below start and kill servers, so they need a program, not a running server.
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
