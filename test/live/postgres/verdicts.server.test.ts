/**
 * The ledger of a live run on PostgreSQL is a table of the real database, with rules for layers.
 */
import { expect, it } from 'vitest'
import { describeLivePostgres, factsOf, firstAt } from '../lab.ts'

const fault = (kind: string, at: string, label: string) => firstAt(kind, at, { healAfterMs: 50 }, label)

describeLivePostgres('effects that are rows', (lab) => {
  it('are two if two transactions commit, in the order of their commits', async () => {
    const messages = [0, 0].map((publishAtMs) => ({ key: 'order-1', payload: 1, publishAtMs }))
    const run = await lab.run('looks-before-inserting', { consumers: 1, messages, effectMs: 300 })
    const applied = factsOf(run, 'effect-applied')
    expect(applied.map(({ receipt }) => receipt.effectId).sort()).toEqual(['effect-1', 'effect-2'])
    for (const { requestId, seq, atUs } of applied) {
      const sent = factsOf(run, 'effect-sent').find((one) => one.requestId === requestId)!
      const heard = factsOf(run, 'effect-answered').find((one) => one.requestId === requestId)!
      expect([sent.seq < seq, seq < heard.seq, sent.atUs <= atUs, atUs <= heard.atUs]).toEqual(Array(4).fill(true))
    }
    expect(run.history.events.map(({ seq }) => seq)).toEqual(run.history.events.map((_, at) => at))
  })

  it('are one if the second transaction waits for the record of the first', async () => {
    const messages = [0, 0].map((publishAtMs) => ({ key: 'order-1', payload: 1, publishAtMs }))
    const run = await lab.run('record-in-the-effects-transaction', { messages, effectMs: 300 })
    expect(factsOf(run, 'effect-applied')).toHaveLength(1)
    expect(factsOf(run, 'settled').map(({ as }) => as)).toEqual(['done', 'done'])
  })

  it('are not judged if the layer writes rows that it did not receive', async () => {
    const run = await lab.run('writes-effects-itself', {}, { deploys: false })
    expect(run.unfit).toBe('a row of onceproof_effects that the sink did not create: effect-1')
  })

  it('return the results of the plan', async () => {
    const run = await lab.run('record-in-the-effects-transaction', { results: 'zero' })
    expect(factsOf(run, 'effect-applied').map(({ gives }) => gives)).toEqual([{ value: 0 }])
    expect(factsOf(run, 'answered').map(({ outcome }) => outcome)).toEqual([{ status: 'done', result: 0 }])
  })
})

describeLivePostgres('a layer on PostgreSQL', (lab) => {
  it('ends the command without a verdict if it uses Redis without declaring it', async () => {
    const order = { sink: 'plain', deploys: false } as const
    await expect(lab.run('asks-redis-unnamed', {}, order)).rejects.toThrow(
      'the layer: it uses Redis, which its `stores` lack',
    )
  })

  it('may use any client: its statements have the same labels, and its effects are observed', async () => {
    const faults = [
      fault('pause', 'command-unsent', 'INSERT records'),
      fault('lost-reply', 'command-executed', 'COMMIT'),
    ]
    const run = await lab.run('by-another-client', { consumers: 1, faults })
    expect([run.notSeen, factsOf(run, 'fault-struck').map(({ fault: kind }) => kind)]).toEqual([
      [],
      ['pause', 'lost-reply'],
    ])
    expect(factsOf(run, 'effect-applied')).toHaveLength(1)
    expect(factsOf(run, 'settled').map(({ as }) => as)).toEqual(['done'])
    const calm = await lab.run('by-another-client', { consumers: 1 })
    expect(factsOf(calm, 'effect-answered')).toHaveLength(1)
  })

  it('may have a sink outside the database, which it calls by requests', async () => {
    const run = await lab.run('003-postgres-skip-locked', {}, { sink: 'plain' })
    expect(factsOf(run, 'effect-applied')).toHaveLength(1)
    expect(factsOf(run, 'keys-counted')).toMatchObject([{ keys: 0 }])
  })
})
