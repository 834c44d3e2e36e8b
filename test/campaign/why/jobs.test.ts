/** Plays workers and relays: which command took a job, and why it was taken twice. */
import { describe, expect, it } from 'vitest'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { decidingStep } from '../../../src/campaign/causes/deciding-step.ts'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { atMostOnce } from '../../../src/check/at-most-once.ts'
import { noLostMessage } from '../../../src/check/no-lost-message.ts'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { reportStory } from '../../../src/report/story.ts'
import { bug as failsForGood, fix as waitsAgain } from '../../reported/layers/25-failed-job-of-a-script.ts'
import { type Play, play } from '../../sim/world-lab.ts'
import { listWorker } from './layers/list-worker.ts'
import { outboxRelay } from './layers/outbox-relay.ts'
import { rowQueue } from './layers/row-queue.ts'
import { streamRelay } from './layers/stream-relay.ts'

const copies = (...atMs: number[]) =>
  atMs.map((publishAtMs) => ({ key: 'order-1', payload: { order: 1 }, publishAtMs }))
const long: Play = { effectMs: 3000, effectTimeoutMs: 9000 }

/** The first process that sends this command dies before it does. */
const diesBefore = (label: string, named: { readonly key?: string } = {}): Play => {
  const when = { at: 'command-unsent', consumer: 0, nth: 1, of: { label, ...named } } as const
  return { faults: [{ kind: 'crash', consumer: 0, when, healAfterMs: 30_000 } satisfies PlannedFault] }
}

async function judged(adapter: Parameters<typeof play>[0], options: Play, invariant = atMostOnce) {
  const plan = { consumers: 2, messages: copies(0), untilUs: 6_000_000, ...options }
  const played = await play(adapter, plan)
  const verdict = invariant.judge(played.history)
  if (verdict.verdict !== 'violated') return null
  const hot = await play(adapter, { ...plan, record: false })
  const hotVerdict = invariant.judge(hot.history)
  const violation = verdict.violations[0]!
  const run = attributed(played)
  const decidedBy = decidingStep(run, violation)
  const { why, shown = [] } = whyOf(run, violation)
  const events = [...new Set([...violation.events, ...shown])].sort((a, b) => a - b)
  const inHotRun = hotVerdict.verdict === 'violated' ? hotVerdict.violations[0]! : null
  expect(inHotRun?.kind).toBe(violation.kind)
  expect(decidingStep(hot, inHotRun!)).toBe(decidingStep(played, violation))
  return {
    kind: violation.kind,
    why,
    decidedBy,
    story: reportStory(run.history, { ...violation, events }, decidedBy, why).join('\n'),
  }
}

describe('a job that is taken twice', () => {
  it('is claimed from a stream while its worker is still working', async () => {
    const found = await judged(streamRelay({ idleMs: 1000 }), long)
    expect(found).toMatchObject({
      kind: 'zombie',
      why: 'XAUTOCLAIM of consumer-2 took the job over from consumer-1, which had taken it by XREADGROUP, after 1199 ms, while consumer-1 was still at work',
      decidedBy: 'XAUTOCLAIM: a value',
    })
    expect(found?.story).toMatch(/executes XREADGROUP GROUP senders consumer-1[\s\S]*executes XAUTOCLAIM mails senders/)
  })

  it('is claimed from a stream after its finishing command failed', async () => {
    const refused = (consumer: number): PlannedFault => {
      const when = { at: 'command-unexecuted', consumer, nth: 1, of: { label: 'XACK' } } as const
      return { kind: 'error-reply', error: 'OOM', when }
    }
    const faults = [0, 1].map(refused)
    expect(await judged(streamRelay({ idleMs: 1000 }), { faults })).toMatchObject({
      why: expect.stringMatching(/ while consumer-\d had the sink's answer and had not finished the job$/),
    })
  })

  it('is put back into its list while its worker is still working', async () => {
    expect(await judged(listWorker({ idleMs: 1000 }), long)).toMatchObject({
      kind: 'zombie',
      why: 'RPUSH of consumer-2 put the key into the queue once more while consumer-1, which had taken it by RPOPLPUSH, was still at work; consumer-2 took it again (RPOPLPUSH)',
    })
    const longLease = { ...long, leaseMs: 200_000 }
    expect(await judged(listWorker({ idleMs: 1000, moves: true }), longLease)).toMatchObject({
      kind: 'duplicate',
      why: 'RPUSH of consumer-2 put the key into the queue once more while consumer-1, which had taken it by LMOVE, was still at work; consumer-2 took it again (LMOVE)',
    })
  })

  it('is added to a stream by each copy of its message', async () => {
    expect(await judged(streamRelay({ forgets: true }), { messages: copies(0, 2000) })).toMatchObject({
      kind: 'duplicate',
      why: 'consumer-1 had finished the job (XREADGROUP, then XACK); XADD of consumer-1 put the key into the queue once more after that, and consumer-1 took it (XREADGROUP)',
    })
    expect(await judged(streamRelay({ forgets: true }), { ...long, messages: copies(0, 100) })).toMatchObject({
      kind: 'duplicate',
      why: 'the key was in the queue twice (XADD of consumer-2, XADD of consumer-1): consumer-1 took the one job (XREADGROUP), and consumer-2 the other (XREADGROUP)',
    })
  })
})

describe('a worker that dies with its job', () => {
  it.each([
    ['XREADGROUP', 'XAUTOCLAIM', streamRelay({ idleMs: 3000 }), 'MULTI'],
    ['RPOPLPUSH', 'RPOPLPUSH', listWorker({ idleMs: 3000 }), 'LREM'],
    ['LMOVE', 'LMOVE', listWorker({ idleMs: 3000, moves: true }), 'LREM'],
  ])('leaves a job that is taken again: %s', async (took, again, layer, finish) => {
    const found = await judged(layer, diesBefore(finish))
    expect(found).toMatchObject({
      kind: 'repeat-after-crash',
      why: `consumer-1 had taken the job (${took}) and died after it had sent the effect, before it had finished the job; consumer-2 took it again (${again})`,
    })
    expect(found?.story).toContain(`consumer-1 is killed before it sends ${finish}`)
  })

  it('is harmless on a keyed sink, as is a job that is claimed too early', async () => {
    for (const layer of [streamRelay({ idleMs: 1000 }), listWorker({ idleMs: 1000 })]) {
      expect(await judged(layer, { ...long, sink: 'keyed' })).toBeNull()
      expect(await judged(layer, { ...diesBefore('LREM'), sink: 'keyed' })).toBeNull()
    }
  })

  it('is not the cause if the finished job was added again', async () => {
    const dies: PlannedFault = { kind: 'crash', consumer: 0, when: { at: 'time', ms: 1000 }, healAfterMs: 30_000 }
    const options = { messages: copies(0, 2000), faults: [dies] }
    expect(await judged(streamRelay({ forgets: true }), options)).toMatchObject({
      kind: 'duplicate',
      why: 'consumer-1 had finished the job (XREADGROUP, then XACK); XADD of consumer-2 put the key into the queue once more after that, and consumer-2 took it (XREADGROUP)',
    })
  })
})

describe('a job whose call of the sink failed', () => {
  it('is lost unless it waits again', async () => {
    const when = { at: 'effect-unapplied', consumer: 0, nth: 1 } as const
    const faults: PlannedFault[] = [{ kind: 'effect-fails-before', how: 'fail', when }]
    const options = { consumers: 1, sink: 'keyed', untilUs: 600_000_000, faults } as const
    expect(await judged(failsForGood, options, noLostMessage)).toMatchObject({
      kind: 'accepted-and-forgotten',
      why: 'consumer-1 had taken the job (RPOPLPUSH), and its call of the sink failed (SinkUnavailable: 502 from the sink); no worker called the sink for the key again',
    })
    expect(await judged(waitsAgain, options, noLostMessage)).toBeNull()
  })

  it('is decided by another step than one whose worker ended during the call', async () => {
    const fails = { kind: 'effect-fails-before', how: 'fail' } as const
    const crash = { kind: 'crash', consumer: 0, healAfterMs: 30_000 } as const
    const steps = async (fault: typeof fails | typeof crash, at: 'effect-unsent' | 'effect-unapplied') => {
      const faults: PlannedFault[] = [{ ...fault, when: { at, consumer: 0, nth: 1 } }]
      const options = { consumers: 1, sink: 'keyed', untilUs: 600_000_000, faults } as const
      return (await judged(failsForGood, options, noLostMessage))?.decidedBy
    }
    expect(await steps(fails, 'effect-unapplied')).toMatch(/^RPOPLPUSH: .+, then the sink failed$/)
    expect(await steps(crash, 'effect-unsent')).toMatch(/^RPOPLPUSH: .+, then the worker ended$/)
  })
})

describe('a job that one statement takes by a lock and an update', () => {
  const takes = { label: 'WITH job' }

  it('is attributed to that statement if its worker dies with it', async () => {
    const when = { at: 'command-executed', consumer: 0, nth: 1, of: takes } as const
    const crash = { kind: 'crash', consumer: 0, when, healAfterMs: 30_000 } satisfies PlannedFault
    const options = { consumers: 1, untilUs: 600_000_000, faults: [crash] }
    const found = await judged(rowQueue(), options, noLostMessage)
    expect(found).toMatchObject({
      kind: 'accepted-and-forgotten',
      why: 'consumer-1 had taken the job (WITH next … UPDATE job) and died before it called the sink; no worker called the sink for the key',
      decidedBy: 'WITH job: a row',
    })
    expect(found?.story).toMatch(/WITH next AS[\s\S]*consumer-1 is killed/)
    expect(await judged(rowQueue({ frees: true }), options, noLostMessage)).toBeNull()
  })

  it('is attributed to that statement if its call of the sink fails', async () => {
    const when = { at: 'effect-unapplied', consumer: 0, nth: 1 } as const
    const faults: PlannedFault[] = [{ kind: 'effect-fails-before', how: 'fail', when }]
    expect(await judged(rowQueue(), { consumers: 1, untilUs: 600_000_000, faults }, noLostMessage)).toMatchObject({
      why: 'consumer-1 had taken the job (WITH next … UPDATE job), and its call of the sink failed (SinkUnavailable: 502 from the sink); no worker called the sink for the key again',
    })
  })

  it('is attributed to that statement if another worker takes it again', async () => {
    expect(await judged(rowQueue({ frees: true }), { ...long, effectMs: 8000, untilUs: 60_000_000 })).toMatchObject({
      why: expect.stringMatching(/ took the job \(WITH next … UPDATE job\) while .*, was still at work$/),
    })
  })
})

describe('a row of an outbox', () => {
  it('is locked only for one statement, or not at all', async () => {
    const found = await judged(outboxRelay(), long)
    expect(found).toMatchObject({
      kind: 'duplicate',
      why: 'SELECT mails of consumer-2 locked the row outside of a transaction, so that the lock ended with the statement; consumer-1 took the same row (SELECT mails) before consumer-2 had marked it',
      decidedBy: 'SELECT mails: a row',
    })
    expect(await judged(outboxRelay({ commits: true, lock: '' }), long)).toMatchObject({
      kind: 'duplicate',
      why: 'SELECT mails of consumer-2 locks no row; consumer-1 took the same row (SELECT mails) before consumer-2 had marked it',
    })
    expect(await judged(outboxRelay({ commits: true }), long)).toBeNull()
  })

  it.each(['UPDATE mails', 'COMMIT'])('is sent again if the relay dies before its %s', async (label) => {
    expect(await judged(outboxRelay({ commits: true }), diesBefore(label, { key: 'order-1' }))).toMatchObject({
      kind: 'repeat-after-crash',
      why: 'consumer-2 had taken the job (SELECT mails) and died after it had sent the effect, before it had finished the job; consumer-1 took it again (SELECT mails)',
    })
    expect(
      await judged(outboxRelay({ commits: true }), { ...diesBefore(label, { key: 'order-1' }), sink: 'keyed' }),
    ).toBeNull()
  })

  it('is sent again if the server dies before the COMMIT', async () => {
    const when = { at: 'command-unsent', consumer: 0, nth: 1, of: { label: 'UPDATE mails', key: 'order-1' } } as const
    const faults: PlannedFault[] = [{ kind: 'postgres-restart', when, healAfterMs: 100 }]
    expect(await judged(outboxRelay({ commits: true }), { faults })).toMatchObject({
      kind: 'repeat-after-error',
      why: 'the transaction in which consumer-2 had taken the job (SELECT mails) did not commit after it had sent the effect: its session ended before COMMIT; consumer-2 took it again (SELECT mails)',
    })
  })
})
