-- reopen: a doubt was settled. The sink will refuse the original request for ever, so another
-- attempt is permitted, even if the message is old.
--
-- KEYS[1]  the record
-- KEYS[2]  the generation of its bucket
-- ARGV[1]  fence that was reported with the doubt
-- ARGV[2]  nonce of the begin in doubt; empty if no begin is on record
-- ARGV[3]  time to live of the record, in ms
-- ARGV[4]  generation that was reported with the doubt
-- ARGV[5]  fingerprint of the message
-- ARGV[6]  retention, in ms
-- ARGV[7]  fingerprint of the message in records of the previous version; empty if not accepted
-- ARGV[8]  highest fence that the sink has seen, if it reported one; or 0
-- ARGV[9]  when the doubt was reported, in us, if no begin is on record; or 0
-- ARGV[10] producedAt, in ms since the Unix epoch; empty if unknown
-- ARGV[11] resets the count of attempts; left out if only the layer itself settled the doubt
--
-- Replies  {'reopened'}
--          {'lost', state}         completed, refused, held or begun meanwhile: nothing was written
--          {'lost', 'generation'}  data may have been lost since, perhaps the record of an attempt
--          {'lost', 'retention'}   the doubt is so old that a record written since may have expired
--
-- Guarantees: reopens exactly the begin, or the absence, that was reported. Never lowers the fence:
-- the next holder's fence is above it, and above every fence that the sink has seen.

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
  'deadline', '0', 'fingerprint', ARGV[5], 'produced', ARGV[10], 'generation', generation, 'permit', '1')
if ARGV[11] then redis.call('HDEL', KEYS[1], 'attempts', 'counted') end
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[3], redis.call('PTTL', KEYS[1])))
return {'reopened'}
