/** A script of one attempt reopens the completed record of another one. */
import type { Reply } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { moralOf } from '../../../src/check/remedies.ts'
import { story } from './story.ts'

const acquire = `if redis.call('GET', KEYS[1]) then return 'completed' end
redis.call('SET', KEYS[1], 'begun')
return 'acquired'`
const complete = `redis.call('SET', KEYS[1], 'done')
return 'kept'`
const opens = `redis.call('DEL', KEYS[1])
return 'reopened'`
const looks = `return 'reopened'`

/** `own`: the first attempt sends the script, too. */
function reopened(reopen: string, then: Reply, { own = false } = {}): string {
  const { history, executed, why } = story()
  const runs = (process: string, name: string, body: string, reply: Reply) =>
    executed.push({
      process,
      label: `EVALSHA ${name}`,
      seq: history.events.length,
      args: ['eval', body, '1', 'k1'],
      reply,
    })
  history.publish('m1').deliver(1, 'm1', 'a')
  runs('a', 'acquire', acquire, 'acquired')
  history.send(1, 1).apply(1)
  runs('a', 'complete', complete, 'kept')
  if (own) runs('a', 'reopen', looks, 'reopened')
  history.done(1).deliver(2, 'm1', 'b', 2)
  runs('b', 'reopen', reopen, 'reopened')
  history.answer(2, { status: 'retry' }).deliver(3, 'm1', 'c', 3)
  runs('c', 'acquire', acquire, then)
  history.send(2, 3).apply(2)
  return why('duplicate')
}

it('the cause has the script, and the reply that would have come without it', () => {
  const opened =
    'the script reopen of another attempt (it answered reopened) opened the record of the first one, which was done: without it, the script acquire would have answered completed'
  expect(reopened(opens, 'acquired')).toBe(opened)
  expect(moralOf('duplicate', null, opened)).toMatch(/^A record that is done should stay done/)
  expect(reopened(looks, 'completed')).not.toMatch(/opened the record/)
})

it('the cause has only the certain part if the scripts cannot be executed again', () => {
  // If executed again, this script answers completed.
  const after =
    'after the first attempt was done, the script reopen of another one answered reopened about its record; then the script acquire answered acquired to the next attempt'
  expect(reopened(looks, 'acquired')).toBe(after)
  expect(moralOf('duplicate', null, after)).toMatch(/^A record that is done should stay done/)
  expect(reopened(looks, 'acquired', { own: true })).toBe(
    'the last effect was sent after the script acquire had answered acquired',
  )
})
