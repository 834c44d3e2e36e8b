import { clockDrift } from './clock-drift.ts'
import { clockFrozen } from './clock-frozen.ts'
import { clockStep } from './clock-step.ts'
import { commitPast } from './commit-past.ts'
import { connectionLimit } from './connection-limit.ts'
import { connectionReset } from './connection-reset.ts'
import { crash } from './crash.ts'
import { dnsFailure } from './dns-failure.ts'
import { duplicateDelivery } from './duplicate-delivery.ts'
import { dynamodbError } from './dynamodb-error.ts'
import { dynamodbThrottled } from './dynamodb-throttled.ts'
import { effectFailsAfter } from './effect-fails-after.ts'
import { effectFailsBefore } from './effect-fails-before.ts'
import { errorReply } from './error-reply.ts'
import { eviction } from './eviction.ts'
import type { Fault } from './fault.ts'
import { halfOpen } from './half-open.ts'
import { lateCopy } from './late-copy.ts'
import { lostAcknowledgement } from './lost-acknowledgement.ts'
import { lostReply } from './lost-reply.ts'
import { lostRequest } from './lost-request.ts'
import { machineAdded } from './machine-added.ts'
import { machineCutOff } from './machine-cut-off.ts'
import { machineForgotten } from './machine-forgotten.ts'
import { machineRestart } from './machine-restart.ts'
import { outOfOrder } from './out-of-order.ts'
import { partition } from './partition.ts'
import { pause } from './pause.ts'
import { poison } from './poison.ts'
import { postgresConnections } from './postgres-connections.ts'
import { postgresFailover } from './postgres-failover.ts'
import { postgresRestart } from './postgres-restart.ts'
import { redelivery } from './redelivery.ts'
import { redisBusy } from './redis-busy.ts'
import { redisFlushed } from './redis-flushed.ts'
import { redisLoading } from './redis-loading.ts'
import { redisOutOfMemory } from './redis-out-of-memory.ts'
import { redisRestart } from './redis-restart.ts'
import { scriptsFlushed } from './scripts-flushed.ts'
import { slowDynamodb } from './slow-dynamodb.ts'
import { slowEffect } from './slow-effect.ts'
import { slowLink } from './slow-link.ts'
import { slowPostgres } from './slow-postgres.ts'
import { slowRedis } from './slow-redis.ts'

/** All kinds of faults. To add one, write its file and list it here. */
export const faults: ReadonlyMap<string, Fault> = new Map(
  [
    crash,
    pause,
    partition,
    slowLink,
    lostReply,
    lostRequest,
    connectionReset,
    duplicateDelivery,
    redelivery,
    lostAcknowledgement,
    slowEffect,
    effectFailsBefore,
    effectFailsAfter,
    clockStep,
    clockDrift,
    clockFrozen,
    slowRedis,
    errorReply,
    redisOutOfMemory,
    redisBusy,
    redisLoading,
    scriptsFlushed,
    redisFlushed,
    eviction,
    redisRestart,
    connectionLimit,
    dnsFailure,
    halfOpen,
    outOfOrder,
    lateCopy,
    poison,
    machineCutOff,
    machineRestart,
    machineForgotten,
    machineAdded,
    commitPast,
    postgresRestart,
    postgresFailover,
    slowPostgres,
    postgresConnections,
    slowDynamodb,
    dynamodbThrottled,
    dynamodbError,
  ].map((fault) => [fault.kind, fault]),
)
