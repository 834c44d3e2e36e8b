/** A record outlives its young message, whatever the stamp and the clock of the store are. */
import { describe, expect, it } from 'vitest'
import { openPool } from '../../implementations/parts/open-pool.ts'
import { askSlowly } from '../../implementations/reference/parts/ask-sink.ts'
import { guarding } from '../../implementations/reference/parts/guarding.ts'
import reference from '../../implementations/reference/reference.ts'
import onPostgres from '../../implementations/reference/reference-postgres.ts'
import outside from '../../implementations/reference/reference-postgres-outside.ts'
import prepares from '../../implementations/reference/reference-prepares.ts'
import reconciles from '../../implementations/reference/reference-reconciles.ts'
import settles from '../../implementations/reference/reference-settles.ts'
import type { Implementation } from '../../src/contract/api/implementation.ts'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import { isSinkRefusal, type SinkKind } from '../../src/contract/api/sink.ts'
import { createOnce } from '../../src/impl/once.ts'
import { postgresClock } from '../../src/run/faults/machine.ts'
import { atFirst } from '../../src/sim/plans/aim.ts'
import { copyAtMs } from '../../src/sim/plans/at-time.ts'
import { play } from '../sim/world-lab.ts'

const retentionMs = 5000
/** The retention, twice the skew, and the time of a delivery. */
const endedMs = retentionMs + 2000 + 500

const reconcilesOnPostgres: Implementation = {
  ...outside,
  create({ postgres, sink, leaseMs }) {
    const pool = openPool(postgres!)
    const reconcile = (doubt: Parameters<typeof askSlowly>[1]) => askSlowly(sink, doubt, { leaseMs })
    const once = createOnce({
      pool,
      leaseMs,
      retentionMs,
      isRefusal: isSinkRefusal,
      sink: { kind: 'plain', reconcile },
    })
    return guarding(once, sink)
  },
}

/** The number of effects, and the answer to each delivery. */
async function played(adapter: Implementation, sink: SinkKind, stampOffMs: number, faults: readonly PlannedFault[]) {
  const messages = [{ key: 'order-1', payload: { order: 1 }, publishAtMs: 10, stampOffMs }]
  const run = await play(adapter, { messages, faults, sink, retentionMs, effectMs: 50 })
  expect(run.unsupported).toEqual([])
  const answers = run
    .of('answered')
    .map(({ outcome }) => (outcome.status === 'dead-letter' ? outcome.reason : outcome.status))
  return { effects: run.of('effect-applied').length, answers }
}

describe('a message with a stamp in the future', () => {
  const offMs = 20_000
  /**
   * The second copy comes after an early record has ended, the third after the time of the stamp.
   */
  const copies = [100, endedMs, offMs + 20, offMs + endedMs].map((ms) => copyAtMs(ms))
  const doubt = 'in-doubt: from-the-future'

  it.each<[string, Implementation, SinkKind]>([
    ['plain', reference, 'plain'],
    ['keyed', reference, 'keyed'],
    ['prepared', prepares, 'plain'],
    ['reconciled', reconciles, 'fenced'],
    ['settled', settles, 'fenced'],
    ['reconciled, in PostgreSQL', reconcilesOnPostgres, 'fenced'],
    ['keyed, in PostgreSQL', outside, 'keyed'],
    ['rows', onPostgres, 'transactional'],
  ])('is in doubt until its stamp, and is performed once: %s', async (_, adapter, sink) => {
    const { effects, answers } = await played(adapter, sink, offMs, copies)
    expect(effects).toBe(1)
    expect(answers.slice(0, 4)).toEqual([doubt, doubt, doubt, 'done'])
  })

  it.each<[string, Implementation]>([
    ['Redis', reference],
    ['PostgreSQL', outside],
  ])('is performed at once, and only once, on a fenced sink: %s', async (_, adapter) => {
    expect(await played(adapter, 'fenced', offMs, copies)).toEqual({ effects: 1, answers: Array(5).fill('done') })
  })
})

describe('a clock step back during the effect', () => {
  const backMs = 4000
  /**
   * The copies are young by that clock. Rows are deleted only sometimes, so that a single copy
   * would usually find its row.
   */
  const copies = Array.from({ length: 8 }, (_, at) => copyAtMs(endedMs + 150 * at))

  it.each<[string, Implementation, SinkKind, number]>([
    ['Redis', reference, 'plain', -1],
    ['PostgreSQL', outside, 'plain', postgresClock],
    ['PostgreSQL, rows', onPostgres, 'transactional', postgresClock],
  ])('does not end the record earlier: %s', async (_, adapter, sink, machine) => {
    const back = { kind: 'clock-step', ...atFirst('effect-unsent'), machine, byMs: -backMs } as PlannedFault
    expect(await played(adapter, sink, 0, [back, ...copies])).toEqual({ effects: 1, answers: Array(9).fill('done') })
  })
})
