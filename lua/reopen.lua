-- reopen: a doubt was settled. The sink will refuse the original request for ever, so another attempt is permitted,
-- however old the message is.
--
-- KEYS[1]  the record
-- KEYS[2]  the generation of its bucket
-- ARGV[1]  fence that was told with the doubt
-- ARGV[2]  nonce of the begin that was in doubt; empty where no begin is on record
-- ARGV[3]  time to live of the record, in ms
-- ARGV[4]  generation that was told with the doubt
-- ARGV[5]  fingerprint of the message
-- ARGV[6]  retention, in ms
-- ARGV[7]  fingerprint of the message in records of the version before; empty where none is believed
-- ARGV[8]  highest fence that the sink has seen, where it told; or 0
-- ARGV[9]  when the doubt was told, in us, where no begin is on record; or 0
-- ARGV[10] left out where the attempts so far count on: where nobody but the layer's own settlement permits another
--
-- Replies  {'reopened'}
--          {'lost', state}         completed, refused, held or begun anew in the meantime: nothing was written
--          {'lost', 'generation'}  data may have been lost since: so may be the attempt that was permitted then
--          {'lost', 'retention'}   the doubt was told so long ago that a record written since may have expired
--
-- Guarantees: reopens exactly the begin, or the absence, that was asked about; the fence is never lowered, so that the
-- next holder's is higher, and higher than what the sink has seen.

local state, fence, nonce, deadline, of, fingerprint = unpack(redis.call('HMGET', KEYS[1],
  'state', 'fence', 'nonce', 'deadline', 'generation', 'fingerprint'))
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
if state and fingerprint ~= ARGV[5] and fingerprint ~= ARGV[7] then return {'lost', state} end

local function info(section, field)
  local text = redis.call('INFO', section)
  local _, at = string.find(text, '\n' .. field .. ':', 1, true)
  return string.match(text, '^[^\r]*', at + 1)
end

local replid, evicted, generation = unpack(redis.call('HMGET', KEYS[2], 'replid', 'evicted', 'id'))
local current = replid == info('replication', 'master_replid') and evicted == info('stats', 'evicted_keys')
if not current or generation ~= ARGV[4] then return {'lost', 'generation'} end

if ARGV[2] ~= '' then
  if state ~= 'begun' or fence ~= ARGV[1] or nonce ~= ARGV[2] then return {'lost', state or 'missing'} end
else
  local ended = state == 'acquired' and (of ~= generation or nowUs >= tonumber(deadline) * 1000)
  if state and state ~= 'free' and not ended then return {'lost', state} end
  if nowUs - tonumber(ARGV[9]) >= tonumber(ARGV[6]) * 1000 then return {'lost', 'retention'} end
end

local highest = math.max(tonumber(fence or '0'), tonumber(ARGV[1]), tonumber(ARGV[8]))
redis.call('HSET', KEYS[1], 'state', 'free', 'owner', '', 'fence', string.format('%.0f', highest), 'nonce', '',
  'deadline', '0', 'fingerprint', ARGV[5], 'generation', generation, 'permit', '1')
if ARGV[10] then redis.call('HDEL', KEYS[1], 'attempts', 'counted') end
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[3], redis.call('PTTL', KEYS[1])))
return {'reopened'}
