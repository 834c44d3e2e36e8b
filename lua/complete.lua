-- complete: the effect happened, and this is its result. A fact, whoever holds the record by now.
--
-- KEYS[1]  the record
-- ARGV[1]  fence of the attempt whose effect it was
-- ARGV[2]  result, as JSON
-- ARGV[3]  fingerprint of the payload
-- ARGV[4]  time to live of the record, in ms
-- ARGV[5]  why the result is null in place of what the effect gave; left out where it is what it gave
--
-- Replies  {'completed', result, unkept}   what is on record: the first result, and ARGV[5] where it came with it
--
-- Guarantees: accepted when the record is missing, free, acquired by anybody, begun, or refused; a completed record
-- keeps its first result; no later transition leaves this state. No generation is asked for: a fact outlives them.

local state, fence, result, unkept = unpack(redis.call('HMGET', KEYS[1], 'state', 'fence', 'result', 'unkept'))
if state == 'completed' then return {'completed', result, unkept or nil} end

local highest = math.max(tonumber(fence or '0'), tonumber(ARGV[1]))
redis.call('HSET', KEYS[1], 'state', 'completed', 'owner', '', 'fence', string.format('%.0f', highest), 'nonce', '',
  'deadline', '0', 'fingerprint', ARGV[3], 'result', ARGV[2])
redis.call('HDEL', KEYS[1], 'error')
if ARGV[5] then redis.call('HSET', KEYS[1], 'unkept', ARGV[5]) end
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[4], redis.call('PTTL', KEYS[1])))
return {'completed', ARGV[2], ARGV[5]}
