/** What the scripts of the repaired patterns share. All of them go by Redis's own clock, and know the attempt by its owner token. */

/**
 * How far the clock that sets produced-at times and that of Redis may be apart: both decide how old
 * a message is.
 */
export const skewMs = 1000

/**
 * The head of a script that takes a key. KEYS[1] record; ARGV owner, fingerprint of the payload, life of a record (ms).
 * It answers for a key of another payload, and for one that is completed. `stored` is the record that is in the way or false,
 * `ageMs` how long ago it was written. A clock that was put back makes an age negative.
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
 * That there is no record says that nothing has happened only for as long as one would still be there. ARGV[4] when the message
 * was produced, ARGV[5] retention (ms), ARGV[6] skew of clocks (ms).
 */
export const isOfUnknownAge = `local time = redis.call('TIME')
local sinceMs = time[1] * 1000 + time[2] / 1000 - tonumber(ARGV[4])
if sinceMs >= tonumber(ARGV[5]) or sinceMs < -tonumber(ARGV[6]) then return {'unknown-age'} end
`

/** ARGV owner, record, life (ms): writes only over the owner's own record. Answers 1, or 0 where it is another's or gone. */
export const replaceScript = `-- replace
local found = redis.call('GET', KEYS[1])
if not found or cjson.decode(found).owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`

/** ARGV owner: deletes the owner's own record alone. */
export const giveBackScript = `-- give-back
local found = redis.call('GET', KEYS[1])
if not found or cjson.decode(found).owner ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`
