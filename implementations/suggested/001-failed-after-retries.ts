/**
 * Article 001, third pattern as in 001-lua-server-time.ts, with a state that its list names and its
 * code never writes: a message whose processing has failed several times is FAILED.
 *
 * The reader is the article's own: its script returns a conflict for every status that it does not
 * know, and for FAILED according to a comment; a conflict is NACKed. So a FAILED message is neither
 * performed nor settled: it returns until the broker gives it up, or until the record ends.
 *
 * Decided here, because the article gives no numbers: the third failed attempt writes FAILED, while
 * the others delete the key as printed. Attempts are counted in a second key, by a script, because
 * the record is deleted between them. Both live for a day, as COMPLETED does.
 */
import { luaServerTime, recordSeconds } from '../articles/001-lua-server-time.ts'

const attempts = 3

const countScript = `-- count-failure: KEYS[1] counter; ARGV seconds to live
local failures = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], tonumber(ARGV[1]))
return failures
`

export default luaServerTime({
  id: '001-failed-after-retries',
  about:
    'The script of 001-lua-server-time, and FAILED after the third failed attempt (article 001, a state it lists).',
  async failed(client, name, owner) {
    const failures = Number(await client.eval(countScript, 1, `${name}:failures`, recordSeconds))
    if (failures < attempts) return client.del(name)
    const stored = { status: 'FAILED', owner, failedAt: Date.now() }
    return client.set(name, JSON.stringify(stored), 'EX', recordSeconds)
  },
})
