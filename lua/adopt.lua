-- adopt: at the first deployment, an operator vouches that no effect of a message produced after
-- `since` was performed. Otherwise all messages from before the first acquire are in doubt.
--
-- KEYS[1]  the generation of a bucket
-- ARGV[1]  since, in ms since the Unix epoch
-- ARGV[2]  token, used for no other generation
--
-- Replies  {'adopted'}
--          {'kept', born}   there is a generation, perhaps of older data: nothing was written
--          {'future'}       since is later than Redis's clock: nothing was written
--
-- Guarantees: forgets no loss that was noticed. It cannot distinguish a first deployment from the
-- loss of the whole data set: if run after a loss, it lets every lost effect be repeated.

local born = redis.call('HGET', KEYS[1], 'born')
if born then return {'kept', born} end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if tonumber(ARGV[1]) > now then return {'future'} end

local function info(section, field)
  local text = redis.call('INFO', section)
  local _, at = string.find(text, '\n' .. field .. ':', 1, true)
  return string.match(text, '^[^\r]*', at + 1)
end

redis.call('HSET', KEYS[1], 'replid', info('replication', 'master_replid'), 'evicted', info('stats', 'evicted_keys'),
  'id', ARGV[2], 'born', ARGV[1])
return {'adopted'}
