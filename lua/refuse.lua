-- refuse: the sink refused for good; there is no effect, and none will follow.
--
-- KEYS[1]  the record
-- ARGV[1]  owner
-- ARGV[2]  fence
-- ARGV[3]  the sink's error, as text
-- ARGV[4]  time to live of the record, in ms
--
-- Replies  {'refused', error}      the recorded error, which is the first one
--          {'completed', result, unkept}   as complete: an error never overwrites a recorded effect
--          {'lost', state}         this attempt does not hold the key: nothing was written
--
-- Guarantees: only an attempt that has begun and owns the record can refuse. Final states stay.

local state, owner, fence, result, failure, unkept = unpack(redis.call('HMGET', KEYS[1],
  'state', 'owner', 'fence', 'result', 'error', 'unkept'))
if state == 'completed' then return {'completed', result, unkept or nil} end
if state == 'refused' then return {'refused', failure} end
if state ~= 'begun' or owner ~= ARGV[1] or fence ~= ARGV[2] then return {'lost', state or 'missing'} end

redis.call('HSET', KEYS[1], 'state', 'refused', 'owner', '', 'nonce', '', 'deadline', '0', 'error', ARGV[3])
redis.call('HDEL', KEYS[1], 'began', 'begins', 'process', 'meta')
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[4], redis.call('PTTL', KEYS[1])))
return {'refused', ARGV[3]}
