-- reset: an operator has fixed the cause, and the attempts so far do not count any more.
--
-- KEYS[1]  the record
--
-- Replies  {'reset'} | {'kept'}   kept: no attempt was counted
--
-- Guarantees: the holder and its lease do not change, and no record is created.

if redis.call('HDEL', KEYS[1], 'attempts', 'counted') == 0 then return {'kept'} end
return {'reset'}
