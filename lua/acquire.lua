-- acquire: an attempt takes a key that nobody holds, or learns what became of it.
--
-- KEYS[1]  the record
-- ARGV[1]  owner: the attempt's token, used by no other attempt
-- ARGV[2]  lease, in ms
-- ARGV[3]  time to live of the record, in ms
-- ARGV[4]  fingerprint of the payload
-- ARGV[5]  '1' if the sink settles a doubt by itself (keyed, fenced), so that a begun record may be taken too
--
-- Replies  {'acquired', fence}
--          {'held', ms until the lease ends}
--          {'completed', result} | {'refused', error}
--          {'in-doubt', fence, nonce}   begun, and its lease has ended
--          {'conflict'}                 the key belongs to another payload
--
-- Guarantees: of any number of attempts one holds the key; each holder has a higher fence than the one before; the
-- same owner asking again gets the same fence; a begun record passes to nobody, unless the sink settles the doubt.
-- `generation` stays 0: it has its place here for the day when lost data is noticed.

local state, owner, fence, nonce, deadline, fingerprint, result, failure = unpack(redis.call('HMGET', KEYS[1],
  'state', 'owner', 'fence', 'nonce', 'deadline', 'fingerprint', 'result', 'error'))
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = tonumber(ARGV[2])

if state and fingerprint ~= ARGV[4] then return {'conflict'} end
if state == 'completed' then return {'completed', result} end
if state == 'refused' then return {'refused', failure} end

local again = state == 'acquired' and owner == ARGV[1]
if (state == 'acquired' or state == 'begun') and not again then
  local left = tonumber(deadline) - now
  if left > 0 then return {'held', left} end
  if state == 'begun' and ARGV[5] ~= '1' then return {'in-doubt', tonumber(fence), nonce} end
end

local granted = tonumber(fence or '0')
if not again then granted = granted + 1 end
redis.call('HSET', KEYS[1], 'state', 'acquired', 'owner', ARGV[1], 'fence', granted, 'nonce', '',
  'deadline', string.format('%.0f', now + lease), 'fingerprint', ARGV[4], 'generation', '0')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'acquired', granted}
