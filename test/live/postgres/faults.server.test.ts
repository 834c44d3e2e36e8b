/**
 * Faults of a real PostgreSQL and of the links to it: their effect on a layer, and when they count.
 */
import { expect, it } from 'vitest'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import type { LiveEnvironment } from '../../../src/live/environment/environment.ts'
import { IdleProxy } from '../evidence/idle-proxy.ts'
import { describeLivePostgres, factsOf, firstAt, whereverAt } from '../lab.ts'

const layer = 'record-in-the-effects-transaction'
const at = (kind: string, ms: number, more: object = {}): PlannedFault =>
  ({ kind, when: { at: 'time', ms }, ...more }) as unknown as PlannedFault
const atCommit = (kind: string, boundary: string, more: object = {}) => firstAt(kind, boundary, more, 'COMMIT')

const links: Record<string, PlannedFault[]> = {
  'a lost reply': [atCommit('lost-reply', 'command-executed')],
  'a lost request': [atCommit('lost-request', 'command-unexecuted')],
  'a partition': whereverAt('partition', 'command-unsent', { node: 'postgres', way: 'both', healAfterMs: 300 }),
  'answers that are blocked': whereverAt('partition', 'command-executed', {
    ...{ node: 'postgres', way: 'to-process', healAfterMs: 300 },
  }),
  'a reset': whereverAt('connection-reset', 'effect-unsent'),
}

describeLivePostgres('a fault of a link to PostgreSQL', (lab) => {
  it.each(Object.entries(links))('counts if its effect was observed: %s', async (_, faults) => {
    const run = await lab.run(layer, { faults })
    expect([run.unfit, run.notSeen, run.notMade]).toEqual([null, [], []])
    expect(factsOf(run, 'fault-struck').length).toBeGreaterThan(0)
    expect(factsOf(run, 'effect-applied')).toHaveLength(1)
    expect(factsOf(run, 'settled').map(({ as }) => as)).toEqual(['done'])
  })

  it.each(Object.entries(links))('does not count if the proxy does nothing: %s', async (_, faults) => {
    const proxy = new IdleProxy()
    const run = await lab.run(layer, { faults }, { environment: { ...lab.environment, redisProxy: proxy } })
    await proxy.close()
    expect(run.unfit).toMatch(new RegExp(`^${faults[0]!.kind} had no effect: `))
    for (const type of ['fault-struck', 'reply-lost', 'request-lost'] as const) expect(factsOf(run, type)).toEqual([])
  })

  it('leaves the transaction of a forgotten connection open, with its locks, until the server ends it', async () => {
    const faults = whereverAt('half-open', 'effect-unsent')
    const leaseMs = 2000
    const run = await lab.run('reference-postgres', { faults, leaseMs, visibilityMs: 500 })
    expect([run.unfit, run.notSeen, run.notMade]).toEqual([null, [], []])
    const [struck] = factsOf(run, 'fault-struck')
    const held = factsOf(run, 'answered').filter(({ outcome }) => outcome.status === 'retry')
    expect(held.length).toBeGreaterThan(0)
    const [applied, ...more] = factsOf(run, 'effect-applied')
    expect(more).toEqual([])
    // The last bytes on the connection came shortly before it was forgotten.
    expect(applied!.atUs - struck!.atUs).toBeGreaterThan((leaseMs - 500) * 1000)
  })

  it('drops the reply of only one of the connections of a process', async () => {
    const messages = [0, 1, 2, 3].map((n) => ({ key: `order-${n}`, payload: n, publishAtMs: 0 }))
    const faults = [atCommit('lost-reply', 'command-executed')]
    const run = await lab.run('looks-before-inserting', { consumers: 1, messages, faults })
    expect(run.notSeen).toEqual([])
    expect(factsOf(run, 'threw')).toHaveLength(1)
  })
})

describeLivePostgres('a PostgreSQL server', (lab) => {
  /** A server that ignores an order. */
  function sabotaged(what: 'freeze'): LiveEnvironment {
    const { environment } = lab
    return {
      ...environment,
      async startServers(shape, wish) {
        const servers = await environment.startServers(shape, wish)
        Object.assign(servers.postgres!, { [what]: async () => {} })
        return servers
      },
    }
  }

  it('is killed with its sessions, and restarts with its durable data, without an open transaction', async () => {
    const faults = whereverAt('postgres-restart', 'effect-unsent', { healAfterMs: 300 })
    const run = await lab.run(layer, { faults: [faults[0]!], consumers: 1 })
    expect([run.unfit, run.notMade]).toEqual([null, []])
    expect(factsOf(run, 'fault-struck').map(({ node, sentence }) => [node, sentence.slice(0, 13)])).toEqual([
      ['postgres', 'postgres dies'],
    ])
    expect(factsOf(run, 'data-lost')).toEqual([])
    expect(factsOf(run, 'effect-sent').length).toBeGreaterThan(1)
    expect(factsOf(run, 'effect-applied')).toHaveLength(1)
    expect(factsOf(run, 'settled').map(({ as }) => as)).toEqual(['done'])
  })

  it('can be killed as the first event of a run', async () => {
    const run = await lab.run(layer, { faults: [at('postgres-restart', 0, { healAfterMs: 100 })], consumers: 1 })
    expect([run.unfit, factsOf(run, 'fault-struck').length]).toEqual([null, 1])
    expect(factsOf(run, 'effect-applied')).toHaveLength(1)
  })

  it('reports effects that committed before it died, even if it never restarts', async () => {
    const faults = [at('postgres-restart', 600, { healAfterMs: 60_000 })]
    const run = await lab.run(layer, { faults, consumers: 1 }, { longestMs: 61_000, stopped: afterMs(3_000) })
    expect(factsOf(run, 'ended')[0]).toMatchObject({ complete: false })
    expect(factsOf(run, 'effect-applied')).toHaveLength(1)
  })

  it('loses commits that it answered before they were durable, which the history records', async () => {
    const plan = { consumers: 1, faults: [atCommit('postgres-restart', 'reply-received', { healAfterMs: 100 })] }
    const run = await lab.run('answers-before-it-is-durable', plan)
    const [lost] = factsOf(run, 'data-lost')
    // The server flushes such commits five times a second, so it may just have done so.
    expect(factsOf(run, 'effect-applied')).toHaveLength(lost === undefined ? 1 : 0)
    if (lost !== undefined) expect(lost).toMatchObject({ node: 'postgres', cause: 'restart', effects: ['order-1'] })
  })

  it('is paused, which an unanswered question shows', async () => {
    const faults = [at('slow-postgres', 100, { healAfterMs: 500 })]
    const run = await lab.run(layer, { faults })
    expect([run.unfit, run.notSeen, factsOf(run, 'fault-struck').length]).toEqual([null, [], 1])
    const still = await lab.run(layer, { faults }, { environment: sabotaged('freeze') })
    expect(still.unfit).toBe('slow-postgres had no effect: PostgreSQL answered although it was stopped')
    expect(factsOf(still, 'fault-struck')).toEqual([])
  })

  it('accepts no more clients until the fault heals', async () => {
    // The consumer waits at the boundary until the fault has struck, and connects after it.
    const faults = [firstAt('postgres-connections', 'delivery-received', { healAfterMs: 300 })]
    const run = await lab.run(layer, { consumers: 1, faults })
    expect(factsOf(run, 'threw').some(({ error }) => /too many connections for role/.test(error))).toBe(true)
    expect(factsOf(run, 'settled').map(({ as }) => as)).toEqual(['done'])
  })

  it.each([
    ['postgres-failover', { healAfterMs: 100 }, /without a standby/],
    ['clock-step', { machine: -201, byMs: 1000, healAfterMs: 100 }, /has the clock of its machine/],
  ])('does not support %s, which is reported', async (kind, more, why) => {
    const run = await lab.run(layer, { faults: [at(kind, 0, more)] })
    expect(run.notMade).toEqual([{ fault: kind, why: expect.stringMatching(why) }])
    expect(factsOf(run, 'fault-struck')).toEqual([])
  })
})

/** Interrupts the run `ms` after the first call. */
function afterMs(ms: number): () => boolean {
  let began: number | null = null
  return () => performance.now() - (began ??= performance.now()) > ms
}
