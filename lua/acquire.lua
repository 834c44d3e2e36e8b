-- acquire: an attempt takes a free key, or gets the state of the key.
--
-- KEYS[1]  the record
-- KEYS[2]  the generation of its bucket
-- ARGV[1]  owner: the attempt's token, used by no other attempt
-- ARGV[2]  lease, in ms
-- ARGV[3]  time to live of the record, in ms: at least the retention and twice the clock skew
-- ARGV[4]  fingerprint of the message
-- ARGV[5]  kind of sink: plain, keyed (remembers keys for the retention), fenced (keeps all fences)
-- ARGV[6]  producedAt: when the key was produced, in ms since the Unix epoch. Kept in the record
-- ARGV[7]  retention, in ms
-- ARGV[8]  clock skew, in ms: how far Redis's clock and the one that stamps messages may differ
-- ARGV[9]  fingerprint of the message in records of the previous version; empty if not accepted
--
-- Replies  {'acquired', fence, generation, started}
--          {'held', ms until the lease ends}
--          {'completed', result, unkept} | {'refused', error}   unkept if complete recorded one
--          {'conflict', fingerprint, producedAt}   of the record, which is of another message.
-- producedAt is empty in a record of an older version
--          {'evicts', policy}           maxmemory-policy may evict records: nothing is granted
--          {'fences-exhausted'}         the next fence is above 2^53 - 1: nothing is granted
--          {'in-doubt', reason, fence, nonce, generation, started, told, ...}
--            attempt-vanished           begun, and its lease has ended; told is empty. Then the
-- record's fingerprint, began, begins, process, meta: empty if unknown
--            older-than-the-data        no record, but the data set is younger than the message
--            older-than-retention       its record may have expired, or the sink forgotten it
--            from-the-future            no record, and a stamp that proves nothing
--          told is the time of Redis, in us; the fence may be later. A fence is text, because
-- clients parse integers above 2^53 - 49 inexactly
--          started is 1 if this call started a generation: records may have been lost
--
-- Guarantees: at most one attempt holds the key. Each holder has a higher fence than the last one,
-- even if data was lost in between. An owner that asks again gets the same fence. A begun record is
-- passed on only if the sink settles the doubt. A missing record, or a free or acquired one of
-- another generation, proves nothing about a message that is older than the generation.

local state, owner, fence, nonce, deadline, fingerprint, result, unkept, failure, of, permit = unpack(redis.call(
  'HMGET', KEYS[1], 'state', 'owner', 'fence', 'nonce', 'deadline', 'fingerprint', 'result', 'unkept', 'error',
  'generation', 'permit'))
if state and fingerprint ~= ARGV[4] and fingerprint ~= ARGV[9] then
  return {'conflict', fingerprint, redis.call('HGET', KEYS[1], 'produced') or ''}
end
if state == 'completed' then return {'completed', result, unkept or nil} end
if state == 'refused' then return {'refused', failure} end

local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local now = math.floor(nowUs / 1000)
local lease, retention, skew = tonumber(ARGV[2]), tonumber(ARGV[7]), tonumber(ARGV[8])
local sink, produced = ARGV[5], tonumber(ARGV[6])

local function info(section, field)
  local text = redis.call('INFO', section)
  local _, at = string.find(text, '\n' .. field .. ':', 1, true)
  return string.match(text, '^[^\r]*', at + 1)
end

-- A generation is the uninterrupted time of one primary without evictions.
local replid, evicted = info('replication', 'master_replid'), info('stats', 'evicted_keys')
local known = redis.call('HMGET', KEYS[2], 'replid', 'evicted', 'id', 'born')
local generation, born, started = known[3], known[4], 0
if known[1] ~= replid or known[2] ~= evicted then
  -- The owner's token makes the name unique, even if the clock stands still.
  generation, born, started = ARGV[1] .. ':' .. string.format('%.0f', nowUs), string.format('%.0f', now), 1
  redis.call('HSET', KEYS[2], 'replid', replid, 'evicted', evicted, 'id', generation, 'born', born)
end

-- A begun record is valid in every generation. Any other may be an old version that came back.
local counts = state == 'begun' or (state and of == generation)
local again = counts and state == 'acquired' and owner == ARGV[1]
if counts and state ~= 'free' and not again then
  local left = tonumber(deadline) - now
  if left > lease then
    -- No lease is longer, so the clock has gone back. A dead holder would keep the key too long.
    left = lease
    redis.call('HSET', KEYS[1], 'deadline', string.format('%.0f', now + lease))
  end
  if left > 0 then return {'held', left} end
  if state == 'begun' and sink == 'plain' then
    local began, begins, process, meta = unpack(redis.call('HMGET', KEYS[1], 'began', 'begins', 'process', 'meta'))
    return {'in-doubt', 'attempt-vanished', fence, nonce, generation, started, '',
      fingerprint, began or '', begins or '', process or '', meta or ''}
  end
end

local policy = info('memory', 'maxmemory_policy')
if policy ~= 'noeviction' then return {'evicts', policy} end

-- Higher than all earlier fences, even if they are lost: a fence is at least the time of its grant.
local granted = math.max(tonumber(fence or '0') + 1, nowUs)
if again then granted = tonumber(fence) end
-- Above it, Lua and JavaScript do not count one by one, and two holders would have one fence.
if granted > 9007199254740991 then return {'fences-exhausted'} end

local doubt = false
if sink == 'plain' and not counts and produced <= tonumber(born) + skew then
  doubt = 'older-than-the-data'
elseif sink ~= 'fenced' and not (counts and permit == '1') and now - produced >= retention then
  doubt = 'older-than-retention'
elseif sink ~= 'fenced' and not counts and produced > now + skew then
  doubt = 'from-the-future'
end
local text = string.format('%.0f', granted)
if doubt then return {'in-doubt', doubt, text, '', generation, started, nowUs} end

redis.call('HSET', KEYS[1], 'state', 'acquired', 'owner', ARGV[1], 'fence', text, 'nonce', '',
  'deadline', string.format('%.0f', now + lease), 'fingerprint', ARGV[4], 'produced', ARGV[6], 'generation', generation,
  'permit', counts and permit or '')
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[3], redis.call('PTTL', KEYS[1])))
return {'acquired', text, generation, started}
