-- complete: the effect happened, and this is its result. A fact, whoever holds the record by now.
--
-- KEYS[1]  the record
-- ARGV[1]  fence of the attempt whose effect it was
-- ARGV[2]  result, as JSON
-- ARGV[3]  fingerprint of the payload
-- ARGV[4]  time to live of the record, in ms
--
-- Replies  {'completed', result}   the result that is on record: the first one
--
-- Guarantees: accepted when the record is missing, free, acquired by anybody, begun, or refused; a completed record
-- keeps its first result; no later transition leaves this state. No generation is asked for: a fact outlives them.

local state, fence, result = unpack(redis.call('HMGET', KEYS[1], 'state', 'fence', 'result'))
if state == 'completed' then return {'completed', result} end

local highest = math.max(tonumber(fence or '0'), tonumber(ARGV[1]))
redis.call('HSET', KEYS[1], 'state', 'completed', 'owner', '', 'fence', string.format('%.0f', highest), 'nonce', '',
  'deadline', '0', 'fingerprint', ARGV[3], 'result', ARGV[2])
redis.call('HDEL', KEYS[1], 'error')
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'completed', ARGV[2]}
