/**
 * Article 002, third pattern as in 002-owner-token.ts, with the heartbeat that the article names
 * for a more robust check of stale locks. During the effect, its owner renews the expiry and the
 * `timestamp` that the check reads.
 *
 * Decided here, because the article gives no numbers: the lock lives for the lease, in whole
 * seconds rounded up, and is renewed every third of it, by a script that compares the owner. The
 * reply to a renewal is ignored. A skipped message is redelivered. `002-owner-token-short-lock` is
 * the same without a heartbeat.
 */
import { ownerToken } from '../articles/002-owner-token.ts'
import { shortLock } from './002-owner-token-short-lock.ts'

const renewScript = `-- renew: KEYS[1] record; ARGV expected owner, seconds, now (seconds)
local found = redis.call('GET', KEYS[1])
local record = found and cjson.decode(found)
if not record or record.owner ~= ARGV[1] then
  return 0
end
record.timestamp = tonumber(ARGV[3])
redis.call('SET', KEYS[1], cjson.encode(record), 'EX', ARGV[2])
return 1
`

export default ownerToken({
  ...shortLock,
  id: '002-owner-token-heartbeat',
  about: 'The owner token with a short lock that its owner renews while it works (article 002, its suggestion).',
  beside(client, name, owner, seconds) {
    const beat = () => client.eval(renewScript, 1, name, owner, seconds, Date.now() / 1000).catch(() => {})
    const timer = setInterval(beat, (seconds * 1000) / 3)
    return () => clearInterval(timer)
  },
})
