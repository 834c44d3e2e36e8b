/** Attempts that share sessions of PostgreSQL: which statement decided, and why. */
import { ErrorReply, type Reply, StatusReply } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { decidingStep } from '../../../src/campaign/causes/deciding-step.ts'
import { labelOfStatement } from '../../../src/run/statement-labels.ts'
import { story } from './story.ts'

const rows = (...cells: (string | null)[]): Reply => [cells]
const tag = (text: string) => new StatusReply(text)
const none: Reply = null

function postgres() {
  const told = story()
  const { history, executed } = told
  const sessions = [0, 1, 2].map(() => ({ endedSeq: null as number | null }))
  const sql = (process: string, session: number, text: string, reply: Reply, ...values: string[]) => {
    history.add({ type: 'command', process, command: text, reply: '' })
    const args = [text, ...values]
    const label = labelOfStatement(text)!
    executed.push({ process, label, seq: history.events.length, args, reply, session: sessions[session]! })
  }
  const performs = (process: string, session: number, requestId: number) => {
    const effect = 'INSERT INTO onceproof_effects (effect_id, key, payload) VALUES ($1, $2, $3)'
    sql(process, session, effect, tag('INSERT 0 1'), `effect-${requestId}`, 'k1', '{}')
  }
  const ends = (session: number) => {
    sessions[session]!.endedSeq = history.events.length
  }
  const decided = (kind: string) => {
    const events = history.events.filter(({ type }) => type === 'effect-applied').map(({ seq }) => seq)
    return decidingStep({ history, executed }, { kind, key: 'k1', sentence: '', events })
  }
  return { ...told, sql, performs, ends, decided }
}

const begin = ['BEGIN', tag('BEGIN')] as const
const commit = ['COMMIT', tag('COMMIT')] as const
const lock = 'SELECT pg_try_advisory_lock(hashtext($1)) AS taken'
const look = 'SELECT result FROM finished WHERE key = $1'
const record = 'INSERT INTO finished (key) VALUES ($1)'

/** Two deliveries of one key in one process whose statements go through one pool. */
function throughAPool({ asks = 0 }: { asks?: number } = {}) {
  const told = postgres()
  const { history, sql, performs } = told
  history.publish('m1').publish('m2').deliver(1, 'm1', 'a').deliver(2, 'm2', 'a')
  sql('a', 0, lock, rows('t'), 'k1')
  sql('a', 0, look, none, 'k1')
  sql('a', asks, lock, rows('t'), 'k1')
  sql('a', asks, look, none, 'k1')
  history.send(1, 1, { unknownDelivery: true })
  sql('a', 1, ...begin)
  performs('a', 1, 1)
  sql('a', 1, record, tag('INSERT 0 1'), 'k1')
  sql('a', 1, ...commit)
  history.apply(1)
  sql('a', 1, 'SELECT pg_advisory_unlock(hashtext($1))', rows('f'), 'k1')
  history.send(2, 2, { unknownDelivery: true })
  sql('a', 1, ...begin)
  performs('a', 1, 2)
  sql('a', 1, ...commit)
  history.apply(2)
  return told
}

it('a BEGIN, COMMIT or unlock of a delivery does not decide for another one on the same pool', () => {
  expect(throughAPool().decided('duplicate')).toBe('SELECT finished: nothing')
})

it('a session that holds an advisory lock is granted it again', () => {
  const { why } = throughAPool()
  expect(why('duplicate')).toBe(
    'two attempts got one session from their pool: it held the advisory lock, and SELECT pg_try_advisory_lock granted it once more',
  )
  expect(throughAPool({ asks: 2 }).why('duplicate')).not.toContain('once more')
})

function afterTheSession({ over }: { over: boolean }) {
  const { history, sql, performs, ends, why } = postgres()
  history.publish('m1').deliver(1, 'm1', 'a')
  sql('a', 0, lock, rows('t'), 'k1')
  sql('a', 0, look, none, 'k1')
  if (over) ends(0)
  history.deliver(2, 'm1', 'b', 2)
  sql('b', 1, lock, rows('t'), 'k1')
  sql('b', 1, look, none, 'k1')
  history.send(1, 1).send(2, 2)
  for (const [process, session] of [['a', 2] as const, ['b', 1] as const]) {
    sql(process, session, ...begin)
    performs(process, session, session === 2 ? 1 : 2)
    sql(process, session, record, tag('INSERT 0 1'), 'k1')
    sql(process, session, ...commit)
    history.apply(session === 2 ? 1 : 2)
  }
  return why('zombie')
}

it('an advisory lock ends with its session', () => {
  expect(afterTheSession({ over: true })).toBe(
    'the session that held the advisory lock ended while the first attempt was at work, and the lock with it; SELECT pg_try_advisory_lock granted it to the next attempt',
  )
  expect(afterTheSession({ over: false })).toBe(
    'SELECT finished of the next attempt found no row, as the first one had not committed yet, and the next one performed without waiting for it',
  )
})

/**
 * The read of the second attempt finds no row. Its INSERT waits for the COMMIT of the first one.
 */
function upsert(conflict: string, looksLate = false) {
  const told = postgres()
  const { history, sql, performs } = told
  const claim = `INSERT INTO requests (key, status) VALUES ($1, 'in_progress') ON CONFLICT (key) ${conflict}`
  const mayLook = () => sql('b', 1, 'SELECT status FROM requests WHERE key = $1 FOR UPDATE', none, 'k1')
  history.publish('m1').publish('m2').deliver(1, 'm1', 'a').deliver(2, 'm2', 'b')
  sql('a', 0, ...begin)
  sql('b', 1, ...begin)
  if (!looksLate) mayLook()
  sql('a', 0, claim, tag('INSERT 0 1'), 'k1')
  history.send(1, 1)
  performs('a', 0, 1)
  sql('a', 0, ...commit)
  history.apply(1)
  if (looksLate) mayLook()
  sql('b', 1, claim, tag('INSERT 0 1'), 'k1')
  history.send(2, 2)
  performs('b', 1, 2)
  sql('b', 1, ...commit)
  history.apply(2)
  return told
}

it('a row that was committed after the read is overwritten', () => {
  const { why, decided } = upsert("DO UPDATE SET status = 'in_progress'")
  expect(decided('duplicate')).toBe('INSERT requests: INSERT 0 1')
  const early = 'SELECT requests of the next attempt found no row, as the first one had not committed yet'
  expect(why('duplicate')).toBe(
    `${early}; its INSERT requests ON CONFLICT DO UPDATE then wrote over the row of the first one`,
  )
  expect(upsert('DO NOTHING').why('duplicate')).toBe(`${early}, and the next one performed without waiting for it`)
  expect(upsert("DO UPDATE SET status = 'in_progress'", true).why('duplicate')).not.toContain(early)
})

it('a row that was deleted in between leaves no trace for the next attempt', () => {
  const cleaned = (tagOfDelete: string | null) => {
    const { history, sql, performs, why } = postgres()
    const claim = 'INSERT INTO records (key) VALUES ($1) ON CONFLICT (key) DO NOTHING'
    const attempt = (process: string, session: number, id: number) => {
      history.deliver(id, 'm1', process, id)
      sql(process, session, claim, tag('INSERT 0 1'), 'k1')
      history.send(id, id)
      performs(process, session, id)
      history.apply(id).done(id)
    }
    history.publish('m1')
    attempt('a', 0, 1)
    if (tagOfDelete !== null) sql('c', 2, 'DELETE FROM records WHERE at < now()', tag(tagOfDelete))
    attempt('b', 1, 2)
    return why('duplicate')
  }
  expect(cleaned('DELETE 3')).toBe(
    'DELETE records removed the row of the first attempt, and INSERT records of the next one found the key free',
  )
  expect(cleaned('DELETE 0')).not.toContain('removed')
  expect(cleaned(null)).not.toContain('removed')
})

it('an error that rolled back the effect is the cause of a false answer', () => {
  const answered = (failure: string | null, atCommit: string) => {
    const { history, sql, performs, why } = postgres()
    history.publish('m1').deliver(1, 'm1', 'a').send(1, 1)
    sql('a', 0, ...begin)
    performs('a', 0, 1)
    sql('a', 0, record, failure === null ? tag('INSERT 0 1') : new ErrorReply(failure), 'k1')
    sql('a', 0, 'COMMIT', tag(atCommit))
    if (atCommit === 'COMMIT') history.apply(1)
    history.done(1).rest()
    return why('done-without-effect', 'answered')
  }
  expect(answered('23505 duplicate key', 'ROLLBACK')).toBe(
    'the transaction of the effect did not commit: INSERT finished failed (23505 duplicate key), and COMMIT was answered ROLLBACK, and the attempt answered done anyway',
  )
  expect(answered(null, 'COMMIT')).not.toContain('did not commit')
})

it.each([
  ['had been answered', true],
  ['others saw before it was answered', false],
])('a result whose commit a failover lost, and which %s, is not the one that remains', (state, isAnswered) => {
  const { history, why } = postgres()
  history.publish('m1').deliver(1, 'm1', 'a').send(1, 1)
  if (isAnswered) history.notifyCaller(1, 'receipt')
  history.add({ type: 'data-lost', node: 'postgres', cause: 'failover', effects: ['k1'] })
  history.done(1).deliver(2, 'm1', 'b', 2).send(2, 2).apply(2)
  expect(why('different-result', 'answered', 'effect-applied')).toBe(
    `the standby that took over lacked the commit of the effect, which ${state}; a later attempt performed it again, with another result`,
  )
})

it('the end of the first attempt is the cause of a repeat on a plain sink', () => {
  const repeated = (fails: boolean) => {
    const { history, sql, why } = postgres()
    const look = 'SELECT state FROM records WHERE key = $1'
    history.publish('m1').deliver(1, 'm1', 'a')
    sql('a', 0, look, none, 'k1')
    history.send(1, 1).apply(1)
    if (fails) history.notifyCaller(1, 'error').throw(1)
    else history.crash('a')
    history.deliver(2, 'm1', 'b', 2)
    sql('b', 1, look, rows('started'), 'k1')
    history.send(2, 2).apply(2)
    return why(fails ? 'repeat-after-error' : 'repeat-after-crash')
  }
  const then = 'the next attempt performed after SELECT records had answered started'
  expect(repeated(false)).toBe(`the process died after it had sent the effect and before it had recorded it; ${then}`)
  expect(repeated(true)).toBe(
    `the sink's answer to the first attempt was an error, though the effect was applied; ${then}`,
  )
})

/** Two deliveries in one process that share a client; `apart`: each has its own. */
function sharedClient({ apart = false, overlap = true, key = 'k1' } = {}) {
  const { history, sql, causeOf } = postgres()
  const other = apart ? 1 : 0
  history.publish('m1').publish('m2').deliver(1, 'm1', 'a')
  if (overlap) history.deliver(2, 'm2', 'a')
  sql('a', 0, ...begin)
  sql('a', other, ...begin)
  sql('a', 0, record, tag('INSERT 0 1'), key)
  sql('a', other, ...commit)
  return causeOf('given-up', 'published').reason
}

it('a transaction that begins inside another one on a shared session is reported', () => {
  expect(sharedClient()).toBe(
    'two attempts shared one session: BEGIN of the one came inside the open transaction of the other, and one COMMIT ended both',
  )
  for (const changes of [{ apart: true }, { overlap: false }, { key: 'k2' }]) expect(sharedClient(changes)).toBeNull()
})
