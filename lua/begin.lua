-- begin: the point of no return. After a yes the effect may be sent; without one it must not be.
--
-- KEYS[1]  the record
-- KEYS[2]  the generation of its bucket
-- ARGV[1]  owner
-- ARGV[2]  fence that acquire gave
-- ARGV[3]  nonce, drawn for this begin
-- ARGV[4]  lease, in ms, counted anew from here
-- ARGV[5]  time to live of the record, in ms
-- ARGV[6]  kind of sink: plain, keyed, fenced
-- ARGV[7]  producedAt, in ms since the Unix epoch
-- ARGV[8]  retention, in ms
--
-- Replies  {'begun'}
--          {'lost', state}        missing, another's, ended, begun under another nonce: nothing was written
--          {'lost', 'generation'} data may have been lost since acquire
--          {'lost', 'retention'}  the message grew older than the retention meanwhile
--
-- Guarantees: yes only to the holder whose lease lives, in the generation in which it acquired, once per fence; the
-- same nonce asking again gets yes again, so a lost reply can be asked for; every yes writes (so that a replica can be
-- waited for); a begin that arrives after its lease ended, or after its attempt was abandoned, changes nothing.

local state, owner, fence, nonce, deadline, of, permit = unpack(redis.call('HMGET', KEYS[1],
  'state', 'owner', 'fence', 'nonce', 'deadline', 'generation', 'permit'))
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

redis.call('HSET', KEYS[1], 'state', 'begun', 'nonce', ARGV[3],
  'deadline', string.format('%.0f', now + tonumber(ARGV[4])))
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[5], redis.call('PTTL', KEYS[1])))
return {'begun'}
