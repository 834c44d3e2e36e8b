/** How a job ends that a relay took from a table of PostgreSQL. */
import { type Reply, StatusReply } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { noteJobs } from '../../../src/sim/world/note-jobs.ts'
import type { ExecutedCommand } from '../../../src/sim/world.ts'
import { aRun } from '../../check/history-builder.ts'

const insert = 'INSERT INTO mails (key) VALUES ($1) ON CONFLICT DO NOTHING'

it('another copy in the queue does not finish a job, but a mark on its row does', () => {
  const jobAfter = (...marks: readonly [label: string, text: string][]) => {
    const history = aRun()
    const executed: ExecutedCommand[] = []
    const session = { endedSeq: null }
    const sql = (label: string, text: string, reply: Reply, ...values: string[]) =>
      executed.push({ process: 'a', label, seq: history.events.length, args: [text, ...values], reply, session })
    history.publish('m1').deliver(1, 'm1', 'a')
    sql('INSERT mails', insert, new StatusReply('INSERT 0 1'), 'k1')
    history.answer(1, { status: 'accepted' })
    sql('SELECT mails', 'SELECT key FROM mails LIMIT 1 FOR UPDATE SKIP LOCKED', [['k1']])
    history.send(1, 1, { unknownDelivery: true })
    history.apply(1).notifyCaller(1, 'receipt')
    for (const [label, text] of marks) sql(label, text, new StatusReply('UPDATE 1'), 'k1')
    noteJobs(
      history,
      executed,
      executed.map(() => 0),
    )
    const [sent] = history.events.filter((event) => event.type === 'effect-sent')
    return sent?.job
  }
  expect(jobAfter()).toMatchObject({ by: 'SELECT mails' })
  expect(jobAfter(['INSERT mails', insert])?.ended).toBeUndefined()
  const update = ['UPDATE mails', 'UPDATE mails SET sent = true WHERE key = $1'] as const
  expect(jobAfter(['INSERT mails', insert], [...update])?.ended).toMatchObject({ how: 'finished', by: 'UPDATE mails' })
})

it('an event stream with the job does not hide the command that took it', () => {
  const takenBy = (...later: readonly [label: string, reply: Reply, ...args: string[]][]) => {
    const history = aRun()
    const executed: ExecutedCommand[] = []
    const redis = (label: string, reply: Reply, ...args: string[]) =>
      executed.push({ process: 'a', label, seq: history.events.length, args: [label, ...args], reply })
    history.publish('m1').deliver(1, 'm1', 'a')
    redis('LPUSH', 1, 'jobs', 'k1')
    history.answer(1, { status: 'accepted' })
    redis('BLMOVE', 'k1', 'jobs', 'active', 'LEFT', 'RIGHT', '0')
    for (const one of later) redis(...one)
    history.send(1, 1, { unknownDelivery: true })
    noteJobs(
      history,
      executed,
      executed.map(() => 0),
    )
    const [sent] = history.events.filter((event) => event.type === 'effect-sent')
    return sent?.job?.by
  }
  const events = ['XREAD', [['events', [['1-0', ['event', 'active', 'job', 'k1']]]]], 'STREAMS', 'events', '0'] as const
  expect(takenBy()).toBe('BLMOVE')
  expect(takenBy([...events])).toBe('BLMOVE')
  expect(takenBy(['RPOP', 'k1', 'other'], [...events])).toBe('RPOP')
})
