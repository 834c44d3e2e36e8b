import { currentAdapter } from './former-names.ts'
import type { DeadLetterReasons, Handler, Implementation } from './implementation.ts'
import type { AcceptedRisk } from './risk.ts'
import { usualShapes } from './scenario.ts'
import { usualStores } from './store.ts'

/**
 * A rolling upgrade: consumers of two versions of a layer at once, on one Redis.
 * @example
 * ```ts
 * import type { Implementation, Upgrade } from 'onceproof'
 *
 * const upgradeOf = (from: Implementation, to: Implementation): Upgrade => ({
 *   id: 'version-2',
 *   from,
 *   to,
 * })
 * ```
 */
export interface Upgrade extends Pick<Implementation, 'id' | 'about' | 'expect' | 'hunt'> {
  /** The version that is deployed first. */
  readonly from: Implementation
  readonly to: Implementation
}

/**
 * An implementation whose consumers are upgraded while messages are in flight. Every second
 * consumer (`consumer-2`, `consumer-4`) is upgraded before the run begins; each of the others runs
 * `to` from its first restart. Swap the versions for a rollback. The implementation can use the
 * sinks and shapes that both versions can use, and lacks the mechanisms that either version lacks.
 * @example
 * ```ts
 * import { defineUpgrade, type Implementation } from 'onceproof'
 *
 * const rollback = (old: Implementation, recent: Implementation): Implementation =>
 *   defineUpgrade({ id: 'rollback', from: recent, to: old })
 * ```
 */
export function defineUpgrade({ from: first, to: next, ...own }: Upgrade): Implementation {
  const [from, to] = [currentAdapter(first), currentAdapter(next)]
  const both = [from, to]
  const numbers = (member: 'recoveryBoundMs' | 'minLeaseMs') => {
    const known = both.flatMap((version) => version[member] ?? [])
    return known.length === 0 ? {} : { [member]: Math.max(...known) }
  }
  const skews = both.map(({ maxClockSkewMs = 0 }) => maxClockSkewMs)
  const calls = both.flatMap(({ answersWithinMs }) => answersWithinMs ?? [])
  const common = <T>(ofFrom: readonly T[], ofTo: readonly T[]) => ofFrom.filter((one) => ofTo.includes(one))
  const either = <T>(ofFrom: readonly T[] = [], ofTo: readonly T[] = []) => [...new Set([...ofFrom, ...ofTo])]
  return {
    ...own,
    ...numbers('recoveryBoundMs'),
    ...numbers('minLeaseMs'),
    sinks: common(from.sinks ?? ['plain'], to.sinks ?? ['plain']),
    stores: either(from.stores ?? usualStores, to.stores ?? usualStores),
    shapes: common(from.shapes ?? usualShapes, to.shapes ?? usualShapes),
    leavesNoDoubtOn: common(from.leavesNoDoubtOn ?? [], to.leavesNoDoubtOn ?? []),
    ...(both.every(({ bindsProducedAt }) => bindsProducedAt) ? { bindsProducedAt: true as const } : {}),
    ...(skews.includes(0) ? {} : { maxClockSkewMs: Math.min(...skews) }),
    ...deadLetterReasonsOf(from.deadLetterReasons, to.deadLetterReasons),
    ...(calls.length === 2 ? { answersWithinMs: Math.max(...calls) } : {}),
    lacks: either(from.lacks, to.lacks),
    has: common(from.has ?? [], to.has ?? []),
    allow: either(from.allow, to.allow),
    accepts: acceptedByBoth(from.accepts, to.accepts),
    waitsForReplicas: both.every(({ waitsForReplicas }) => waitsForReplicas === true),
    ...(both.every(({ serial }) => serial) ? { serial: true as const } : {}),
    ...(both.every(({ broker }) => broker === 'partitions') ? { broker: 'partitions' as const } : {}),
    ...(from.withoutKey !== undefined && from.withoutKey === to.withoutKey ? { withoutKey: from.withoutKey } : {}),
    ...(both.some(({ ownClocks }) => ownClocks) ? { ownClocks: true as const } : {}),
    ...(from.deploy === undefined ? {} : { deploy: (context) => from.deploy?.(context) }),
    create: (context): Handler | Promise<Handler> => (isUpgraded(context.instanceId) ? to : from).create(context),
  }
}

/** The risks that both versions accept, with the reasons of the next version. */
const acceptedByBoth = (ofFrom: readonly AcceptedRisk[] = [], ofTo: readonly AcceptedRisk[] = []) =>
  ofTo.filter(({ what }) => ofFrom.some((one) => one.what === what))

/** The claims that both versions make in the same words. */
function deadLetterReasonsOf(
  ofFrom: DeadLetterReasons = {},
  ofTo: DeadLetterReasons = {},
): Pick<Implementation, 'deadLetterReasons'> {
  const [{ failed, vanished }, next] = [ofFrom, ofTo.failed]
  const failsAlike = failed !== undefined && failed.reason === next?.reason && failed.attempts === next.attempts
  const deadLetterReasons = {
    ...(failsAlike
      ? { failed: failed.retry === next.retry ? failed : { reason: failed.reason, attempts: failed.attempts } }
      : {}),
    ...(vanished !== undefined && vanished === ofTo.vanished ? { vanished } : {}),
  }
  return Object.keys(deadLetterReasons).length === 0 ? {} : { deadLetterReasons }
}

/**
 * True if the consumer process with that name runs the next version.
 * @throws Error for a name that no consumer has
 */
export function isUpgraded(instanceId: string): boolean {
  const [, slot, again] = /^consumer-(\d+)(\.\d+)?$/.exec(instanceId) ?? []
  if (slot === undefined) throw new Error(`${instanceId} is not the name of a consumer, so its version is unknown`)
  return again !== undefined || Number(slot) % 2 === 0
}
