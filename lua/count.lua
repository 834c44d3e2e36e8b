-- count: counts an attempt that holds a key just before it does its caller's work, so that one
-- which kills its process is counted too. Called only if the number of attempts is limited.
--
-- KEYS[1]  the record
-- ARGV[1]  owner
-- ARGV[2]  fence
-- ARGV[3]  most attempts
--
-- Replies  {'counted', attempts}   including this one
--          {'spent', attempts}     the limit was reached before: nothing was written
--          {'lost', state}         this attempt does not hold the key: nothing was written
--
-- Guarantees: an attempt that calls again is counted once; the holder and its lease do not change.

local state, owner, fence, attempts, counted = unpack(redis.call('HMGET', KEYS[1],
  'state', 'owner', 'fence', 'attempts', 'counted'))
if state ~= 'acquired' or owner ~= ARGV[1] or fence ~= ARGV[2] then return {'lost', state or 'missing'} end

local before = tonumber(attempts or '0')
if counted == fence then return {'counted', before} end
if before >= tonumber(ARGV[3]) then return {'spent', before} end

redis.call('HSET', KEYS[1], 'attempts', before + 1, 'counted', fence)
return {'counted', before + 1}
