/** A worker whose process took a job twice before it calls the sink. */
import type { Reply } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { story } from './story.ts'

/** `first`: the reply to an earlier SELECT. `hasEnded`: its session has ended since. */
function performed(first: Reply, hasEnded = true) {
  const { history, executed, why } = story()
  const select = (reply: Reply, session: { endedSeq: number | null }) => {
    const args = ['SELECT key FROM mails FOR UPDATE SKIP LOCKED']
    executed.push({ process: 'a', label: 'SELECT mails', seq: history.events.length, args, reply, session })
  }
  history.publish('m1').deliver(1, 'm1', 'a').answer(1, { status: 'accepted' })
  select(first, { endedSeq: hasEnded ? history.events.length : null })
  history.strike('postgres-restart')
  select([['k1']], { endedSeq: null })
  for (const id of [1, 2]) {
    const seq = history.events.length
    history.send(id, 1)
    const job = { by: 'SELECT mails', nth: 1, seq: executed[1]!.seq, atUs: 0, redisKeys: [] }
    Object.assign(history.events[seq]!, { deliveryId: null, job })
    history.apply(id)
  }
  return why('duplicate')
}

it('a job is reported as taken twice before the call of the sink', () => {
  const said = 'a took the job twice (SELECT mails) before it called the sink for it'
  expect(performed([['k1']])).toBe(`${said}: the session of the first had ended, and its row lock with it`)
  expect(performed([['k1']], false)).toBe(said)
})

it('two calls of the sink for one job are reported if the earlier SELECT took another job', () => {
  expect(performed([['k2']])).toBe('the worker called the sink twice for one job (SELECT mails)')
})
