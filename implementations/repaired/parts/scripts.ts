/** Shared parts of the repaired scripts. They use Redis's clock, and owner tokens for attempts. */

/**
 * How far the clock that sets produced-at times and Redis's clock may differ: both decide how old a
 * message is.
 */
export const skewMs = 1000

/**
 * The head of a script that takes a key. KEYS[1] record; ARGV owner, payload fingerprint, record
 * life (ms). It returns at once for a key with another payload, and for a completed key. `stored`
 * is the record in the way or false, `ageMs` its age. After a clock step backwards, an age is
 * negative.
 */
export const look = `local found = redis.call('GET', KEYS[1])
local stored, ageMs = false, 0
if found then
  stored, ageMs = cjson.decode(found), tonumber(ARGV[3]) - redis.call('PTTL', KEYS[1])
  if stored.payload ~= ARGV[2] then return {'key-reused'} end
  if stored.status == 'COMPLETED' then return {'completed', stored.result} end
end
`

/**
 * A missing record proves that nothing has happened only while a record would still exist. ARGV[4]
 * produced-at time, ARGV[5] retention (ms), ARGV[6] clock skew (ms).
 */
export const isOfUnknownAge = `local time = redis.call('TIME')
local sinceMs = time[1] * 1000 + time[2] / 1000 - tonumber(ARGV[4])
if sinceMs >= tonumber(ARGV[5]) or sinceMs < -tonumber(ARGV[6]) then return {'unknown-age'} end
`

/** ARGV owner, record, life (ms): overwrites the owner's record. Returns 0 if there is none. */
export const replaceScript = `-- replace
local found = redis.call('GET', KEYS[1])
if not found or cjson.decode(found).owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`

/** ARGV owner: deletes only the owner's own record. */
export const giveBackScript = `-- give-back
local found = redis.call('GET', KEYS[1])
if not found or cjson.decode(found).owner ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`
