-- discount: an attempt ended for a reason that was not its message's, and does not count.
--
-- KEYS[1]  the record
-- ARGV[1]  fence of the attempt; empty for all that were counted, as an operator wants it
--
-- Replies  {'discounted'} | {'kept'}
--
-- Guarantees: an attempt is taken back once, and only while it is the last that was counted; no record is made.

local attempts, counted = unpack(redis.call('HMGET', KEYS[1], 'attempts', 'counted'))
if not attempts or (ARGV[1] ~= '' and counted ~= ARGV[1]) then return {'kept'} end

redis.call('HDEL', KEYS[1], 'counted')
if ARGV[1] == '' or attempts == '1' then
  redis.call('HDEL', KEYS[1], 'attempts')
else
  redis.call('HINCRBY', KEYS[1], 'attempts', -1)
end
return {'discounted'}
