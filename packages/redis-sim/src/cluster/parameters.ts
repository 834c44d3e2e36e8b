/** The redis.conf parameters of a Cluster node. */
import { number, type Parameters, yesNo } from '../parameter-kinds.ts'

const intMax = 2147483647

export const clusterParameters: Parameters = {
  'cluster-enabled': yesNo('clusterEnabled', true),
  'cluster-node-timeout': number('clusterNodeTimeout', false, 0, intMax),
  'cluster-require-full-coverage': yesNo('clusterRequireFullCoverage'),
  'cluster-allow-reads-when-down': yesNo('clusterAllowReadsWhenDown'),
  'cluster-allow-pubsubshard-when-down': yesNo('clusterAllowPubsubshardWhenDown'),
  'cluster-allow-replica-migration': yesNo('clusterAllowReplicaMigration'),
  'cluster-replica-validity-factor': number('clusterReplicaValidityFactor', false, 0, intMax),
  'cluster-slave-validity-factor': number('clusterReplicaValidityFactor', false, 0, intMax),
  'cluster-replica-no-failover': yesNo('clusterReplicaNoFailover'),
  'cluster-slave-no-failover': yesNo('clusterReplicaNoFailover'),
}
