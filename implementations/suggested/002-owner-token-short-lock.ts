/**
 * Article 002, third pattern as in 002-owner-token.ts, with a lock that lives for the lease, in
 * whole seconds rounded up: `002-owner-token-heartbeat` without its heartbeat. A skipped message is
 * redelivered.
 */
import { ownerToken, scriptedLock } from '../articles/002-owner-token.ts'

/** The lock of this adapter, and of the one with a heartbeat. */
export const shortLock = {
  nothing: { status: 'retry', reason: 'nothing was returned' },
  lockOf: scriptedLock,
  secondsFor: (leaseMs: number) => Math.ceil(leaseMs / 1000),
  // The longest lease that scenarios draw.
  recoveryBoundMs: 10_000,
} as const

export default ownerToken({
  ...shortLock,
  id: '002-owner-token-short-lock',
  about: 'The owner token with a lock as short as the lease, which nothing renews (article 002, third).',
})
