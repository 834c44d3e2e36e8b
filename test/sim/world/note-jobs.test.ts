/** What becomes of a job that a relay took from a table of PostgreSQL. */
import { type Reply, StatusReply } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { noteJobs } from '../../../src/sim/world/note-jobs.ts'
import type { ExecutedCommand } from '../../../src/sim/world.ts'
import { aRun } from '../../check/history-builder.ts'

const insert = 'INSERT INTO mails (key) VALUES ($1) ON CONFLICT DO NOTHING'

it('a copy that is put into the queue once more finishes no job, and the mark on its row does', () => {
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
