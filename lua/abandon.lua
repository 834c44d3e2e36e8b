-- abandon: gives the key back after an attempt that sent no effect and never will. It undoes a
-- begin whose nonce it knows, and ends an attempt that has not begun.
--
-- KEYS[1]  the record
-- ARGV[1]  owner
-- ARGV[2]  fence
-- ARGV[3]  nonce of the begin to undo; any text if none was sent
-- ARGV[4]  time to live of the record, in ms
-- ARGV[5]  highest fence that the sink has seen, if it reported one; or 0
-- ARGV[6]  present if the attempt failed for a reason unrelated to its message, and does not count
--
-- Replies  {'abandoned'}
--          {'lost', state}   not held by this attempt: at most its count was taken back
--
-- Guarantees: keeps record and fingerprint, never lowers the fence, leaves alone other attempts and
-- begins with another nonce. A late begin of the attempt is refused. A count is taken back once, if
-- it is the last one, and in this step: later, the next holder would have been counted too.

local state, owner, fence, nonce, attempts, counted = unpack(redis.call('HMGET', KEYS[1],
  'state', 'owner', 'fence', 'nonce', 'attempts', 'counted'))

if ARGV[6] and counted == ARGV[2] then
  redis.call('HDEL', KEYS[1], 'counted')
  if attempts == '1' then
    redis.call('HDEL', KEYS[1], 'attempts')
  else
    redis.call('HINCRBY', KEYS[1], 'attempts', -1)
  end
end

local mine = owner == ARGV[1] and fence == ARGV[2]
local undone = state == 'acquired' or (state == 'begun' and nonce == ARGV[3])
if not mine or not undone then return {'lost', state or 'missing'} end

local highest = math.max(tonumber(fence), tonumber(ARGV[5]))
redis.call('HSET', KEYS[1], 'state', 'free', 'owner', '', 'fence', string.format('%.0f', highest), 'nonce', '',
  'deadline', '0')
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[4], redis.call('PTTL', KEYS[1])))
return {'abandoned'}
