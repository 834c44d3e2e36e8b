/**
 * Article 002, third pattern as in 002-owner-token.ts, with the exercise of its error branch: after
 * a failed effect a script deletes the attempt's own record, so that a retry finds the key free.
 *
 * Decided here: any error of the effect is a failure, because the branch catches everything. A
 * skipped message is redelivered, because the deletion is meant for a retry.
 */
import type { Redis } from 'ioredis'
import { ownerToken, scriptedLock } from '../articles/002-owner-token.ts'

const deleteIfOwnerScript = `-- delete-if-owner: KEYS[1] record; ARGV expected owner
local found = redis.call('GET', KEYS[1])
if not found or cjson.decode(found).owner ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
`

export default ownerToken({
  id: '002-owner-token-delete-if-owner',
  about: 'The owner token, and a failed effect deletes the record if it is still its own (article 002, its exercise).',
  nothing: { status: 'retry', reason: 'nothing was returned' },
  lockOf: scriptedLock,
  failed: (client: Redis, name, owner) => client.eval(deleteIfOwnerScript, 1, name, owner),
})
