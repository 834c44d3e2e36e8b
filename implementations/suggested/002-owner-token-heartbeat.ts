/**
 * Article 002, third pattern as in 002-owner-token.ts, with the heartbeat that it names for a more robust check of stale
 * locks: while the effect is under way, its owner renews the record, so that a lock can be short.
 *
 * Decided here, since the article gives no numbers: the lock lives for the lease, in whole seconds rounded up, and is
 * renewed every third of it, by a script that looks at the owner. What a renewal is answered, nobody looks at. A skipped
 * message is delivered again.
 */
import { ownerToken, scriptedLock } from '../articles/002-owner-token.ts'

const renewScript = `-- renew: KEYS[1] record; ARGV expected owner, seconds
local found = redis.call('GET', KEYS[1])
if not found or cjson.decode(found).owner ~= ARGV[1] then
  return 0
end
return redis.call('EXPIRE', KEYS[1], ARGV[2])
`

export default ownerToken({
  id: '002-owner-token-heartbeat',
  about: 'The owner token with a short lock that its owner renews while it works (article 002, its suggestion).',
  nothing: { status: 'retry', reason: 'nothing was returned' },
  lockOf: scriptedLock,
  secondsFor: (leaseMs) => Math.ceil(leaseMs / 1000),
  // The longest lease that scenarios draw.
  recoveryBoundMs: 10_000,
  beside(client, name, owner, seconds) {
    const beat = () => client.eval(renewScript, 1, name, owner, seconds).catch(() => {})
    const timer = setInterval(beat, (seconds * 1000) / 3)
    return () => clearInterval(timer)
  },
})
