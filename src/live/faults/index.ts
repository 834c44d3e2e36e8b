/** Every kind of planned fault: how it is made live, or why it is not. */
import type { Plan } from '../../contract/plan.ts'
import type { NotMadeLive } from '../../contract/results.ts'
import type { Armed } from '../../run/boundaries.ts'
import type { Power } from '../servers/live-server.ts'
import { clockDrift, clockFrozen, clockStep } from './clocks.ts'
import {
  commitPast,
  duplicateDelivery,
  lateCopy,
  lostAcknowledgement,
  outOfOrder,
  poison,
  redelivery,
} from './deliveries.ts'
import { effectFailsAfter, effectFailsBefore, slowEffect } from './effects.ts'
import { machineCutOff } from './failover.ts'
import { connectionReset, lostReply, lostRequest, partition, slowLink } from './links.ts'
import type { LiveFault } from './live-fault.ts'
import { crash, pause } from './processes.ts'
import {
  connectionLimit,
  eviction,
  redisBusy,
  redisFlushed,
  redisOutOfMemory,
  redisRestart,
  scriptsFlushed,
  slowRedis,
} from './servers.ts'

export const liveFaults: ReadonlyMap<string, LiveFault> = new Map(
  Object.entries({
    crash,
    pause,
    partition,
    'slow-link': slowLink,
    'connection-reset': connectionReset,
    'lost-reply': lostReply,
    'lost-request': lostRequest,
    'duplicate-delivery': duplicateDelivery,
    'commit-past': commitPast,
    redelivery,
    'lost-acknowledgement': lostAcknowledgement,
    'out-of-order': outOfOrder,
    'late-copy': lateCopy,
    poison,
    'slow-effect': slowEffect,
    'effect-fails-before': effectFailsBefore,
    'effect-fails-after': effectFailsAfter,
    'clock-step': clockStep,
    'clock-drift': clockDrift,
    'clock-frozen': clockFrozen,
    'redis-restart': redisRestart,
    'redis-flushed': redisFlushed,
    'scripts-flushed': scriptsFlushed,
    eviction,
    'redis-out-of-memory': redisOutOfMemory,
    'redis-busy': redisBusy,
    'connection-limit': connectionLimit,
    'slow-redis': slowRedis,
    'machine-cut-off': machineCutOff,
  }),
)

const reasons: Readonly<Record<string, string>> = {
  'error-reply': 'to answer one command in place of Redis, the proxy would have to read RESP',
  'redis-loading': 'a server cannot be told to load for so long',
  'dns-failure': 'consumers are given addresses, not names',
}

/** Splits a plan's faults into those that are armed and those that are only named. `longestMs`: what a run may last. */
export function sortFaults(
  plan: Plan,
  refuses: (power: Power) => string | null,
  longestMs: number,
): { armed: Armed[]; notMade: NotMadeLive[] } {
  const armed: Armed[] = []
  const notMade: NotMadeLive[] = []
  plan.faults.forEach((fault, index) => {
    const why = whyNot(fault, refuses, longestMs)
    if (why === null) armed.push({ index, fault })
    else notMade.push({ fault: fault.kind, why })
  })
  return { armed, notMade }
}

function whyNot(
  fault: Plan['faults'][number],
  refuses: (power: Power) => string | null,
  longestMs: number,
): string | null {
  const live = liveFaults.get(fault.kind)
  if (live === undefined) return reasons[fault.kind] ?? 'nobody has said yet how it would be made on real servers'
  const clock = fault.kind.startsWith('clock-') && fault.machine === -1 ? ('clock' as const) : undefined
  const needs = live.needs ?? clock
  const refused = needs === undefined ? null : refuses(needs)
  if (refused !== null) return refused
  if ((fault.healAfterMs ?? 0) > longestMs)
    return `it lasts ${fault.healAfterMs} ms, a live run ${longestMs} ms at most`
  return live.cannot?.(fault) ?? null
}
