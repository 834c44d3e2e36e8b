-- renew: the heartbeat. A holder extends its lease, before the effect and while it is under way.
--
-- KEYS[1]  the record
-- ARGV[1]  owner
-- ARGV[2]  fence
-- ARGV[3]  lease, in ms, counted from now
-- ARGV[4]  time to live of the record, in ms
--
-- Replies  {'renewed'}
--          {'lost', state}
--
-- Guarantees: never revives a lease that has ended, and never changes another holder's lease.

local state, owner, fence, deadline = unpack(redis.call('HMGET', KEYS[1], 'state', 'owner', 'fence', 'deadline'))
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local holding = state == 'acquired' or state == 'begun'
local mine = holding and owner == ARGV[1] and fence == ARGV[2]
if not mine or now >= tonumber(deadline) then return {'lost', state or 'missing'} end

redis.call('HSET', KEYS[1], 'deadline', string.format('%.0f', now + tonumber(ARGV[3])))
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[4], redis.call('PTTL', KEYS[1])))
return {'renewed'}
