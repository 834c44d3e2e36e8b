-- begin: the point of no return. The effect may be sent only after the reply {'begun'}.
--
-- KEYS[1]  the record
-- KEYS[2]  the generation of its bucket
-- ARGV[1]  owner
-- ARGV[2]  fence from acquire
-- ARGV[3]  nonce, drawn for this begin
-- ARGV[4]  lease, in ms, counted from now
-- ARGV[5]  time to live of the record, in ms
-- ARGV[6]  kind of sink: plain, keyed, fenced
-- ARGV[7]  producedAt, in ms since the Unix epoch
-- ARGV[8]  retention, in ms
-- ARGV[9]  name of the process
-- ARGV[10] meta: JSON of the caller for people; may be empty
--
-- Replies  {'begun', time of the first such reply in ms, begins of the key so far}
--          {'lost', state}        missing, ended, another owner's, or begun already: no write
--          {'lost', 'generation'} data may have been lost since acquire
--          {'lost', 'retention'}  the message is now older than the retention
--
-- Guarantees: begins only for the holder whose lease has not ended, in the generation of its
-- acquire, once per fence. A retry with the same nonce gets the same reply. Each {'begun'} follows
-- a write, so that WAIT works. A begin after the lease's end or after abandon changes nothing.
-- `began` has the fence too: a begin of an older version leaves it alone, and it is then void.

local state, owner, fence, nonce, deadline, of, permit, began, begins = unpack(redis.call('HMGET', KEYS[1],
  'state', 'owner', 'fence', 'nonce', 'deadline', 'generation', 'permit', 'began', 'begins'))
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local mine = owner == ARGV[1] and fence == ARGV[2]
local first = mine and state == 'acquired' and now < tonumber(deadline)
local again = mine and state == 'begun' and nonce == ARGV[3]
if not first and not again then return {'lost', state or 'missing'} end

local function info(section, field)
  local text = redis.call('INFO', section)
  local _, at = string.find(text, '\n' .. field .. ':', 1, true)
  return string.match(text, '^[^\r]*', at + 1)
end

local replid, evicted, generation = unpack(redis.call('HMGET', KEYS[2], 'replid', 'evicted', 'id'))
local current = replid == info('replication', 'master_replid') and evicted == info('stats', 'evicted_keys')
if not current or of ~= generation then return {'lost', 'generation'} end
local late = now - tonumber(ARGV[7]) >= tonumber(ARGV[8])
if late and permit ~= '1' and ARGV[6] ~= 'fenced' then return {'lost', 'retention'} end

local ends = string.format('%.0f', now + tonumber(ARGV[4]))
if first then
  began, begins = fence .. ' ' .. string.format('%.0f', now), tonumber(begins or '0') + 1
  redis.call('HSET', KEYS[1], 'state', 'begun', 'nonce', ARGV[3], 'deadline', ends,
    'began', began, 'begins', begins, 'process', ARGV[9], 'meta', ARGV[10])
else
  redis.call('HSET', KEYS[1], 'deadline', ends)
end
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[5], redis.call('PTTL', KEYS[1])))
return {'begun', string.match(began, '%d+$'), tonumber(begins)}
