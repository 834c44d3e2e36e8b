-- notice: starts a generation of a bucket if data may have been lost. Not left to the next use of
-- the bucket, because every message produced before that would be in doubt.
--
-- KEYS[1]  the generation of a bucket
-- ARGV[1]  token, used for no other generation
--
-- Replies  {'started'} | {'known'}
--
-- Guarantees: detects a loss as acquire does; a current generation keeps its birth.

local function info(section, field)
  local text = redis.call('INFO', section)
  local _, at = string.find(text, '\n' .. field .. ':', 1, true)
  return string.match(text, '^[^\r]*', at + 1)
end

local replid, evicted = info('replication', 'master_replid'), info('stats', 'evicted_keys')
local known = redis.call('HMGET', KEYS[1], 'replid', 'evicted')
if known[1] == replid and known[2] == evicted then return {'known'} end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'replid', replid, 'evicted', evicted, 'id', ARGV[1], 'born', string.format('%.0f', now))
return {'started'}
