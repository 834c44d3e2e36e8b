-- count: an attempt that holds a key is about to do what its caller wants done. It is counted before, so that one which
-- kills its process is counted too. Only where a number of attempts is asked for.
--
-- KEYS[1]  the record
-- ARGV[1]  owner
-- ARGV[2]  fence
-- ARGV[3]  most attempts
--
-- Replies  {'counted', attempts}   with this one
--          {'spent', attempts}     there were as many before: nothing was written
--          {'lost', state}         not this attempt's: nothing was written
--
-- Guarantees: the same attempt asking again is counted once; who may hold the key, and for how long, stays as it is.

local state, owner, fence, attempts, counted = unpack(redis.call('HMGET', KEYS[1],
  'state', 'owner', 'fence', 'attempts', 'counted'))
if state ~= 'acquired' or owner ~= ARGV[1] or fence ~= ARGV[2] then return {'lost', state or 'missing'} end

local before = tonumber(attempts or '0')
if counted == fence then return {'counted', before} end
if before >= tonumber(ARGV[3]) then return {'spent', before} end

redis.call('HSET', KEYS[1], 'attempts', before + 1, 'counted', fence)
return {'counted', before + 1}
