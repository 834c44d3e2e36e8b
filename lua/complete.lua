-- complete: the effect happened, with this result. The caller need not hold the key.
--
-- KEYS[1]  the record
-- ARGV[1]  fence of the attempt that performed the effect
-- ARGV[2]  result, as JSON
-- ARGV[3]  fingerprint of the payload
-- ARGV[4]  time to live of the record, in ms
-- ARGV[5]  producedAt, in ms since the Unix epoch; empty if unknown
-- ARGV[6]  why the result is null instead of the effect's value; left out if it is that value
--
-- Replies  {'completed', result, unkept}   the first recorded result, and its ARGV[6] if given
--
-- Guarantees: accepted if the record is missing, free, acquired, begun or refused, in any
-- generation. A completed record keeps its first result, and no later transition leaves this state.

local state, fence, result, unkept = unpack(redis.call('HMGET', KEYS[1], 'state', 'fence', 'result', 'unkept'))
if state == 'completed' then return {'completed', result, unkept or nil} end

local highest = math.max(tonumber(fence or '0'), tonumber(ARGV[1]))
redis.call('HSET', KEYS[1], 'state', 'completed', 'owner', '', 'fence', string.format('%.0f', highest), 'nonce', '',
  'deadline', '0', 'fingerprint', ARGV[3], 'produced', ARGV[5], 'result', ARGV[2])
redis.call('HDEL', KEYS[1], 'error', 'began', 'begins', 'process', 'meta')
if ARGV[6] then redis.call('HSET', KEYS[1], 'unkept', ARGV[6]) end
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[4], redis.call('PTTL', KEYS[1])))
return {'completed', ARGV[2], ARGV[6]}
