-- abandon: an attempt that sent no effect, and will send none, gives the key back. It undoes a begin whose nonce it
-- knows, and ends an attempt that has not begun.
--
-- KEYS[1]  the record
-- ARGV[1]  owner
-- ARGV[2]  fence
-- ARGV[3]  nonce of the begin to undo; any text where none was sent
-- ARGV[4]  time to live of the record, in ms
-- ARGV[5]  highest fence that the sink has seen, where it told; or 0
-- ARGV[6]  given where the attempt ended for a reason that was not its message's, and does not count
--
-- Replies  {'abandoned'}
--          {'lost', state}   not this attempt's: nothing was written, but that it does not count
--
-- Guarantees: record and fingerprint stay, and the fence is not lowered; the attempt is over, so that a begin of it which arrives later is
-- refused; another's record, and a begin under another nonce, are left alone. An attempt is taken back once, only while it is the last that was
-- counted, and in the step that gives the key back: the next holder would be counted beside it.

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
