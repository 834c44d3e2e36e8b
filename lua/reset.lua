-- reset: somebody has mended what was wrong, and none of the attempts so far counts.
--
-- KEYS[1]  the record
--
-- Replies  {'reset'} | {'kept'}   none was counted
--
-- Guarantees: who may hold the key, and for how long, stays as it is; no record is made.

if redis.call('HDEL', KEYS[1], 'attempts', 'counted') == 0 then return {'kept'} end
return {'reset'}
