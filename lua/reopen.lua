-- reopen: a doubt was settled. The sink will refuse the original request for ever, so another attempt is permitted.
--
-- KEYS[1]  the record
-- ARGV[1]  fence of the begin that was in doubt
-- ARGV[2]  its nonce
-- ARGV[3]  time to live of the record, in ms
--
-- Replies  {'reopened'}
--          {'lost', state}   completed, refused, or begun anew in the meantime: nothing was written
--
-- Guarantees: reopens exactly the begin that was asked about; the fence stays, so that the next holder's is higher.

local state, fence, nonce = unpack(redis.call('HMGET', KEYS[1], 'state', 'fence', 'nonce'))
if state ~= 'begun' or fence ~= ARGV[1] or nonce ~= ARGV[2] then return {'lost', state or 'missing'} end

redis.call('HSET', KEYS[1], 'state', 'free', 'owner', '', 'nonce', '', 'deadline', '0')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'reopened'}
