-- adopt: at first deployment, somebody who knows vouches for the past of a bucket: no effect of a message produced after
-- `since` was ever performed. Without it, every message produced before the first acquire is in doubt.
--
-- KEYS[1]  the generation of a bucket
-- ARGV[1]  since, in ms since the Unix epoch
-- ARGV[2]  token, used for no other generation
--
-- Replies  {'adopted'}
--          {'kept', born}   there is a generation, of this data set or an older one: nothing was written
--          {'future'}       since is later than Redis's clock: nothing was written
--
-- Guarantees: nothing that was ever noticed is forgotten. It cannot tell a first deployment from a data set that was
-- lost whole: run after a loss, it lets every lost effect be repeated.

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
