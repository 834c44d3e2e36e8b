/** Adds, finds and removes watched instances. */
import { type Address, addressName, isAcceptable, sameAddress } from './address.ts'
import { OtherSentinel, Primary, Replica } from './instance.ts'
import type { Sentinel } from './sentinel.ts'

/** Error texts of Redis. */
const cannotResolve = "Can't resolve instance hostname."
const badPort = 'Invalid port number.'

function problem(sentinel: Sentinel, address: Address): string | null {
  const accepted = isAcceptable(address, sentinel.settings.resolveHostnames)
  if (accepted === 'yes') return null
  return accepted === 'host' ? cannotResolve : badPort
}

/** Adds a primary; returns an error text if that is not possible. */
export function addPrimary(sentinel: Sentinel, name: string, address: Address, quorum: number): Primary | string {
  const bad = problem(sentinel, address)
  if (bad !== null) return bad
  if (sentinel.primaries.has(name)) return 'Duplicate master name.'
  const { defaultDownAfterMs: downAfterMs, defaultFailoverTimeoutMs: failoverTimeoutMs } = sentinel.periods
  const { host, port } = address
  const primary = new Primary(name, { host, port }, { quorum, downAfterMs, failoverTimeoutMs }, sentinel.nowMs)
  sentinel.primaries.set(name, primary)
  return primary
}

/** Adds a replica; returns null if the replica is already known or the address is invalid. */
export function addReplica(sentinel: Sentinel, primary: Primary, address: Address): Replica | null {
  const name = addressName(address)
  if (primary.replicas.has(name) || problem(sentinel, address) !== null) return null
  const replica = new Replica(primary, name, address, sentinel.nowMs)
  primary.replicas.set(name, replica)
  return replica
}

export function addSentinel(sentinel: Sentinel, primary: Primary, id: string, address: Address): OtherSentinel | null {
  if (primary.sentinels.has(id) || problem(sentinel, address) !== null) return null
  const other = new OtherSentinel(primary, id, address, sentinel.nowMs)
  primary.sentinels.set(id, other)
  shareLink(sentinel, other)
  return other
}

/** Shares the link to a Sentinel that also watches another primary. */
function shareLink(sentinel: Sentinel, other: OtherSentinel): void {
  for (const primary of sentinel.primaries.values()) {
    const same = primary === other.primary ? undefined : primary.sentinels.get(other.name)
    if (same === undefined) continue
    other.link.release()
    other.link = same.link
    other.link.users++
    return
  }
}

/** Removes a Sentinel; false if no Sentinel has that id. */
export function removeSentinel(primary: Primary, id: string): boolean {
  const other = primary.sentinels.get(id)
  if (other === undefined) return false
  primary.sentinels.delete(id)
  other.release()
  return true
}

export function findSentinelAt(primary: Primary, address: Address): OtherSentinel | undefined {
  return [...primary.sentinels.values()].find((other) => sameAddress(other.address, address))
}

/**
 * Called when a Sentinel moved: updates its address for all other primaries, and closes its links,
 * so that they reconnect to the new address. Returns the number of updated entries.
 */
export function moveSentinel(sentinel: Sentinel, moved: OtherSentinel): number {
  let others = 0
  for (const primary of sentinel.primaries.values()) {
    const same = primary.sentinels.get(moved.name)
    if (same === undefined) continue
    same.link.closeBoth()
    if (same === moved) continue
    same.address = moved.address
    others++
  }
  return others
}

/** The primary's address, or the address of the replica that already replaced it. */
export function currentAddress(primary: Primary): Address {
  const { failoverInProgress, promoted, failoverState: state } = primary
  const taken = failoverInProgress && promoted !== null && (state === 'reconf_slaves' || state === 'update_config')
  return taken ? promoted.address : primary.address
}
