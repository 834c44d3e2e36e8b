-- status: the state of a key, for reports. Writes nothing.
--
-- KEYS[1]  the record
-- KEYS[2]  the generation of its bucket
-- ARGV[1]  kind of sink: plain, keyed, fenced
-- ARGV[2]  lease, in ms
--
-- Replies  {'completed', result, unkept} | {'refused', error}   as acquire
--          {'held', ms left, fence, begun}   begun is 1 past the point of no return. ms left is at
--                                            most one lease, even if the clock has gone back
--          {'in-doubt', fence, nonce, generation, fingerprint, began, begins, process, meta,
-- producedAt}   a begun record whose lease has ended, with the arguments of reopen. generation is
-- empty if data may have been lost and no acquire has noticed the loss yet; the rest if unknown
--          {'open', attempts}   free: the next attempt may hold it; 0 if attempts are not counted
--          {'missing', born}    no record, or one of another generation; born as text, or empty
--
-- Guarantees: in doubt only if acquire returns it, open only if acquire grants it to some attempt.

local state, fence, nonce, deadline, fingerprint, result, unkept, failure, of, attempts = unpack(redis.call('HMGET',
  KEYS[1], 'state', 'fence', 'nonce', 'deadline', 'fingerprint', 'result', 'unkept', 'error', 'generation', 'attempts'))
if state == 'completed' then return {'completed', result, unkept or nil} end
if state == 'refused' then return {'refused', failure} end

local function info(section, field)
  local text = redis.call('INFO', section)
  local _, at = string.find(text, '\n' .. field .. ':', 1, true)
  return string.match(text, '^[^\r]*', at + 1)
end

local replid, evicted, generation, born = unpack(redis.call('HMGET', KEYS[2], 'replid', 'evicted', 'id', 'born'))
local current = replid == info('replication', 'master_replid') and evicted == info('stats', 'evicted_keys')
if not current then generation, born = '', '' end

if not state or (state ~= 'begun' and of ~= generation) then return {'missing', born} end

local time = redis.call('TIME')
local left = tonumber(deadline) - (time[1] * 1000 + math.floor(time[2] / 1000))
if state ~= 'free' and left > 0 then return {'held', math.min(left, tonumber(ARGV[2])), fence, state == 'begun' and 1 or 0} end
if state == 'begun' and ARGV[1] == 'plain' then
  local began, begins, process, meta, produced = unpack(redis.call('HMGET', KEYS[1],
    'began', 'begins', 'process', 'meta', 'produced'))
  return {'in-doubt', fence, nonce, generation, fingerprint,
    began or '', begins or '', process or '', meta or '', produced or ''}
end
return {'open', tonumber(attempts or '0')}
