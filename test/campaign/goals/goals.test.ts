import { describe, expect, test } from 'vitest'
import { goals, lacksText, notApplicable, reached } from '../../../src/campaign/goals/index.ts'
import type { PromotionDefect } from '../../../src/contract/api/history.ts'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { aRun, type HistoryBuilder } from '../../check/history-builder.ts'

/** `m1` with consumer-1 from 0 ms; the lease is 100 ms. */
const delivered = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1')
const sent = () => delivered().send(1, 1)
/** The effect is sent by a relay: the process has answered, and is not handling a delivery. */
const relayed = () => delivered().answer(1, { status: 'accepted' }).send(1, 1, { unknownDelivery: true })
const lost = (history: HistoryBuilder, type: 'reply-lost' | 'request-lost', process = 'consumer-1') =>
  history.add({ type, process, command: 'SET' })
const orphaned = (how: 'torn' | 'given-up' | 'held-back' | 'sent-again', ms: number, history = delivered()) =>
  history.add({ type: 'command-strayed', process: 'consumer-1', command: 'SET', how, forUs: ms * 1000 })
const crashAt = (history: HistoryBuilder, boundary: 'reply-received' | 'delivery-received') =>
  history.crash('consumer-1').add({
    type: 'fault-struck',
    fault: 'crash',
    index: 0,
    sentence: 'consumer-1 is killed',
    process: 'consumer-1',
    boundary,
  })

const lockReported = (history: HistoryBuilder, what: 'acquired' | 'lost', process = 'consumer-1') =>
  history.add({ type: 'lock', process, key: 'k1', what })

const recordLost = (history: HistoryBuilder) =>
  history.at(50).add({ type: 'data-lost', node: 'redis', cause: 'flush', redisKeys: ['k1'] })

const topology = (history: HistoryBuilder, what: 'promoted' | 'resynced' | 'announced', node: string, other?: string) =>
  history.add({ type: 'topology', what, node, sentence: '', ...(other === undefined ? {} : { other }) })
const promoted = (node = 'redis-2', other = 'redis-1', history = delivered()) =>
  topology(history.at(50), 'promoted', node, other)
/** `redis-2` is promoted with these defects. */
const promotedWith = (...defects: readonly PromotionDefect[]) =>
  delivered().add({ type: 'topology', what: 'promoted', node: 'redis-2', other: 'redis-1', sentence: '', defects })
const stopped = (node: string, fault = 'slow-redis') =>
  delivered().add({ type: 'fault-struck', fault, index: 0, sentence: '', node })
const lostBy = (cause: 'failover' | 'split-brain' | 'restart', acknowledged: boolean, redisKeys = ['k1']) =>
  delivered().add({ type: 'data-lost', node: 'redis-1', cause, redisKeys, ...(acknowledged ? { acknowledged } : {}) })

const commitLost = (type: 'reply-lost' | 'request-lost') =>
  delivered().add({ type, process: 'consumer-1', command: 'COMMIT' })

/** For each goal: runs that reach it, and near misses that do not. */
const examples: Record<string, { readonly reached: HistoryBuilder[]; readonly missed: HistoryBuilder[] }> = {
  'a-commit-was-in-doubt': {
    reached: [commitLost('reply-lost')],
    missed: [commitLost('request-lost'), lost(delivered(), 'reply-lost')],
  },
  'a-commit-was-never-executed': {
    reached: [commitLost('request-lost')],
    missed: [commitLost('reply-lost'), lost(delivered(), 'request-lost')],
  },
  'a-database-died-while-a-delivery-was-open': {
    reached: [
      delivered().strike('postgres-restart', 'postgres dies'),
      delivered().strike('postgres-failover', 'postgres is lost'),
    ],
    missed: [delivered().strike('redis-restart', 'redis dies'), aRun().strike('postgres-restart', 'postgres dies')],
  },
  'a-failover-lost-commits': {
    reached: [delivered().add({ type: 'data-lost', node: 'postgres', cause: 'failover' })],
    missed: [
      delivered().add({ type: 'data-lost', node: 'postgres', cause: 'restart' }),
      delivered().add({ type: 'data-lost', node: 'redis-1', cause: 'failover' }),
    ],
  },
  'requests-were-throttled-while-a-delivery-was-open': {
    reached: [delivered().strike('dynamodb-throttled', 'dynamodb throttles all requests')],
    missed: [
      aRun().strike('dynamodb-throttled', 'dynamodb throttles all requests'),
      delivered().strike('slow-dynamodb', 'dynamodb stops executing requests for a while'),
    ],
  },
  'a-request-got-an-internal-error': {
    reached: [delivered().strike('dynamodb-error', 'dynamodb answers GetItem with an InternalServerError')],
    missed: [delivered().strike('error-reply', 'redis answers GET with OOM')],
  },
  'an-effect-was-taken-back': {
    reached: [delivered().send(1, 1).apply(1).cancel('consumer-1', 1)],
    missed: [
      delivered().send(1, 1).apply(1),
      delivered().add({
        ...{ type: 'effect-cancelled', process: 'consumer-1', key: 'k1', reference: 'r1', effects: [] },
      }),
    ],
  },
  'a-reply-was-lost-after-its-command-executed': {
    reached: [lost(delivered(), 'reply-lost')],
    missed: [lost(delivered(), 'request-lost')],
  },
  'a-request-was-lost': {
    reached: [lost(delivered(), 'request-lost')],
    missed: [lost(delivered(), 'reply-lost')],
  },
  'a-connection-was-reset-mid-command': {
    reached: [lost(delivered().at(5), 'request-lost').strike('connection-reset', 'reset', 'consumer-1')],
    missed: [
      delivered().strike('connection-reset', 'reset', 'consumer-1'),
      lost(delivered(), 'reply-lost', 'consumer-2').strike('connection-reset', 'reset', 'consumer-1'),
      lost(delivered().strike('connection-reset', 'reset', 'consumer-1').at(90), 'reply-lost'),
    ],
  },
  'a-command-went-nowhere': {
    reached: [
      lost(delivered().strike('half-open', 'forgotten', 'consumer-1'), 'request-lost'),
      lost(delivered().strike('half-open', 'forgotten', 'consumer-1').at(90), 'reply-lost'),
    ],
    missed: [
      delivered().strike('half-open', 'forgotten', 'consumer-1'),
      lost(delivered(), 'request-lost').strike('half-open', 'forgotten', 'consumer-1'),
      lost(delivered().strike('half-open', 'forgotten', 'consumer-2'), 'request-lost'),
      lost(delivered().strike('connection-reset', 'reset', 'consumer-1'), 'request-lost'),
    ],
  },
  'half-a-pipeline-was-executed': {
    reached: [orphaned('torn', 0)],
    missed: [orphaned('given-up', 500), lost(delivered(), 'request-lost')],
  },
  'a-command-was-executed-after-its-client-had-given-up': {
    reached: [orphaned('given-up', 100)],
    missed: [orphaned('given-up', 99), orphaned('held-back', 60_000)],
  },
  'an-offline-queue-was-sent-minutes-later': {
    reached: [orphaned('held-back', 60_000, delivered().at(60_000))],
    missed: [
      orphaned('held-back', 59_999, delivered().at(60_000)),
      orphaned('held-back', 60_000, delivered().at(59_999)),
      orphaned('held-back', 60_000, delivered().done(1).at(60_000)),
      orphaned('held-back', 60_000, aRun().publish('m1').deliver(1, 'm1', 'consumer-2').at(60_000)),
      orphaned('given-up', 60_000, delivered().at(60_000)),
    ],
  },
  'a-wait-was-sent-again': {
    reached: [orphaned('sent-again', 0)],
    missed: [orphaned('given-up', 500)],
  },
  'a-partition-healed-while-a-delivery-was-open': {
    reached: [delivered().strike('partition').at(50).heal('partition')],
    missed: [delivered().done(1).at(50).heal('partition'), delivered().at(50).heal('slow-link')],
  },
  'a-process-crashed-before-its-effect': {
    reached: [delivered().crash('consumer-1')],
    missed: [sent().crash('consumer-1'), delivered().done(1).crash('consumer-1'), delivered().crash('consumer-2')],
  },
  'a-process-crashed-mid-logic': {
    reached: [crashAt(delivered(), 'reply-received')],
    missed: [crashAt(delivered(), 'delivery-received'), crashAt(delivered().done(1), 'reply-received')],
  },
  'a-process-crashed-between-effect-and-acknowledgement': {
    reached: [
      sent().apply(1).at(5).crash('consumer-1'),
      sent().apply(1).at(5).done(1).crash('consumer-1'),
      relayed().apply(1).crash('consumer-1'),
    ],
    missed: [
      relayed().crash('consumer-1').apply(1),
      relayed().apply(1).notifyCaller(1, 'receipt').crash('consumer-1'),
      sent().crash('consumer-1'),
      sent().crash('consumer-1').apply(1),
      sent().apply(1).done(1).settle('m1', 'done').crash('consumer-1'),
      sent().apply(1).done(1).at(5).crash('consumer-1'),
    ],
  },
  'a-holder-outlived-its-lease': {
    reached: [delivered().at(101).done(1)],
    missed: [delivered().at(100).done(1), delivered().at(101)],
  },
  'an-effect-outlived-the-lease': {
    reached: [sent().at(101).apply(1)],
    missed: [sent().at(100).apply(1), sent().at(101)],
  },
  'a-paused-process-resumed-after-its-lease': {
    reached: [delivered().at(5).pause('consumer-1').at(101).resume('consumer-1')],
    missed: [
      delivered().at(5).pause('consumer-1').at(100).resume('consumer-1'),
      delivered().at(5).done(1).pause('consumer-1').at(101).resume('consumer-1'),
    ],
  },
  'a-lease-was-taken-over': {
    reached: [
      delivered().crash('consumer-1').at(101).deliver(2, 'm1', 'consumer-2').send(2, 2),
      delivered().pause('consumer-1').at(101).deliver(2, 'm1', 'consumer-2').send(2, 2),
    ],
    missed: [
      delivered().crash('consumer-1').at(100).deliver(2, 'm1', 'consumer-2').send(2, 2),
      delivered().crash('consumer-1').at(101).deliver(2, 'm1', 'consumer-2'),
      delivered().at(101).deliver(2, 'm1', 'consumer-2').send(2, 2),
      delivered().done(1).pause('consumer-1').at(101).deliver(2, 'm1', 'consumer-2').send(2, 2),
    ],
  },
  'an-effect-was-in-doubt': {
    reached: [sent().apply(1).notifyCaller(1, 'error'), sent().crash('consumer-1').apply(1)],
    missed: [sent().apply(1).notifyCaller(1, 'receipt').crash('consumer-1'), sent().notifyCaller(1, 'error')],
  },
  'an-effect-failed-before-it-was-applied': {
    reached: [sent().notifyCaller(1, 'error'), sent().refuse(1).notifyCaller(1, 'refused')],
    missed: [sent().apply(1).notifyCaller(1, 'error'), sent().crash('consumer-1')],
  },
  'a-clock-went-astray-while-a-delivery-was-open': {
    reached: [delivered().strike('clock-step')],
    missed: [delivered().strike('pause'), delivered().done(1).at(5).strike('clock-step')],
  },
  'a-copy-came-after-its-record-was-lost': {
    reached: [recordLost(sent().apply(1)).deliver(2, 'm1', 'consumer-2', 2)],
    missed: [recordLost(sent()).deliver(2, 'm1', 'consumer-2', 2), recordLost(sent().apply(1))],
  },
  'a-message-was-published-again-after-the-loss': {
    reached: [recordLost(sent().apply(1)).publish('m2')],
    missed: [
      recordLost(sent().apply(1)).publish('m1', { copy: true }),
      recordLost(sent().apply(1)).publish('m2', { key: 'k2' }),
      recordLost(sent()).publish('m2'),
      recordLost(sent().apply(1).publish('m2')),
    ],
  },
  'a-key-came-with-another-payload': {
    reached: [aRun().publish('m1').publish('m2', { fingerprint: 'pay 2' })],
    missed: [
      aRun().publish('m1').publish('m2'),
      aRun().publish('m1').publish('m2', { key: 'k2', fingerprint: 'pay 2' }),
    ],
  },
  'a-consumer-died-of-a-message': {
    reached: [delivered().add({ type: 'process-ended', process: 'consumer-1', how: 'died' })],
    missed: [delivered().crash('consumer-1')],
  },
  'a-copy-came-after-the-retention': {
    reached: [delivered().done(1).at(10_001).deliver(2, 'm1', 'consumer-2', 2)],
    missed: [delivered().done(1).at(9_999).deliver(2, 'm1', 'consumer-2', 2)],
  },
  'a-message-was-redelivered-after-the-retention': {
    reached: [delivered().at(10_001).deliver(2, 'm1', 'consumer-2', 2)],
    missed: [
      delivered().at(9_999).deliver(2, 'm1', 'consumer-2', 2),
      // A copy that comes late does not count.
      delivered().done(1).at(10_001).deliver(2, 'm1', 'consumer-2', 1),
    ],
  },
  'redis-refused-a-command': {
    reached: [delivered().strike('error-reply')],
    missed: [delivered().strike('lost-reply')],
  },
  'a-message-never-came-back': {
    reached: [delivered().settle('m1', 'passed-over').crash('consumer-1')],
    missed: [
      delivered().crash('consumer-1'),
      delivered().settle('m1', 'passed-over'),
      delivered().settle('m1', 'passed-over').crash('consumer-1').deliver(2, 'm1', 'consumer-2', 2),
    ],
  },
  'a-layer-went-on-after-it-had-lost-its-lock': {
    reached: [lockReported(lockReported(delivered(), 'acquired'), 'lost').send(1, 1)],
    missed: [
      lockReported(lockReported(delivered(), 'lost'), 'acquired').send(1, 1),
      lockReported(delivered(), 'lost', 'consumer-2').send(1, 1),
      sent(),
    ],
  },
  'a-message-was-redelivered': {
    reached: [delivered().deliver(2, 'm1', 'consumer-1', 2)],
    missed: [delivered().publish('m2').deliver(2, 'm2', 'consumer-2')],
  },
  'two-consumers-had-one-message-at-once': {
    reached: [delivered().deliver(2, 'm1', 'consumer-2', 2)],
    missed: [delivered().done(1).deliver(2, 'm1', 'consumer-2', 2), delivered().deliver(2, 'm1', 'consumer-1', 2)],
  },
  'a-broker-skipped-the-offset-of-an-unfinished-message': {
    reached: [delivered().settle('m1', 'passed-over')],
    missed: [delivered().settle('m1', 'given-up'), delivered().done(1).at(5).settle('m1', 'passed-over')],
  },
  'an-acknowledgement-was-lost': {
    reached: [delivered().done(1).add({ type: 'acknowledgement-lost', deliveryId: 1 })],
    missed: [delivered().done(1)],
  },
  'a-duplicate-was-answered-with-the-stored-result': {
    reached: [sent().apply(1).done(1).deliver(2, 'm1', 'consumer-2', 2).done(2)],
    missed: [
      sent().apply(1).done(1).deliver(2, 'm1', 'consumer-2', 2).send(2, 2).done(2),
      sent().apply(1).done(1).publish('m2', { key: 'k2' }).deliver(2, 'm2', 'consumer-2').done(2),
      sent().apply(1).done(1),
    ],
  },
  'a-message-was-dead-lettered-in-doubt': {
    reached: [delivered().settle('m1', 'dead-lettered', 'in-doubt: effect-unanswered')],
    missed: [delivered().settle('m1', 'dead-lettered', 'key-reused'), delivered().settle('m1', 'done')],
  },
  'a-server-was-promoted': {
    reached: [promoted()],
    missed: [topology(delivered(), 'announced', 'sentinel-1', 'redis-2'), lostBy('restart', true)],
  },
  'an-acknowledged-write-was-lost-by-failover': {
    reached: [lostBy('failover', true)],
    missed: [lostBy('failover', false), lostBy('restart', true)],
  },
  'two-primaries-served-at-once': {
    reached: [lostBy('split-brain', false)],
    missed: [lostBy('failover', true)],
  },
  'two-failovers-in-a-row': {
    reached: [promoted('redis-3', 'redis-2', promoted())],
    missed: [promoted()],
  },
  'a-primary-was-primary-again': {
    reached: [promoted('redis-1', 'redis-2', promoted())],
    missed: [promoted('redis-3', 'redis-2', promoted()), promoted()],
  },
  'an-acknowledged-write-was-lost-by-a-restart': {
    reached: [lostBy('restart', true)],
    missed: [lostBy('restart', false), lostBy('failover', true)],
  },
  'a-replica-that-may-not-be-promoted-was-passed-over': {
    reached: [
      delivered().add({
        type: 'topology',
        what: 'promoted',
        node: 'redis-2',
        other: 'redis-1',
        sentence: '',
        passedOver: ['redis-3'],
      }),
    ],
    missed: [promoted()],
  },
  'a-replica-that-synced-anew-was-promoted': {
    reached: [promoted('redis-2', 'redis-1', topology(delivered().at(40), 'resynced', 'redis-2'))],
    missed: [
      promoted('redis-2', 'redis-1', topology(delivered(), 'resynced', 'redis-2')),
      promoted('redis-2', 'redis-1', topology(delivered().at(40), 'resynced', 'redis-3')),
      topology(promoted().at(60), 'resynced', 'redis-2'),
    ],
  },
  'a-replica-that-never-synced-was-promoted': {
    reached: [promotedWith('never-synced'), promotedWith('never-synced', 'mid-resync')],
    missed: [promotedWith('mid-resync'), promotedWith('forgetful'), promoted()],
  },
  'a-replica-that-forgot-was-promoted': {
    reached: [promotedWith('forgetful')],
    missed: [promotedWith('never-synced'), promoted()],
  },
  'a-replica-was-promoted-mid-resync': {
    reached: [promotedWith('mid-resync')],
    missed: [promotedWith('forgetful'), promoted('redis-2', 'redis-1', topology(delivered(), 'resynced', 'redis-2'))],
  },
  'a-stopped-primary-woke-up': {
    reached: [promoted('redis-2', 'redis-1', stopped('redis-1')).at(60).heal('slow-redis')],
    missed: [
      promoted('redis-2', 'redis-1', stopped('redis-1')),
      promoted('redis-2', 'redis-1', stopped('redis-1').heal('slow-redis')),
      promoted('redis-2', 'redis-1', stopped('redis-3')).at(60).heal('slow-redis'),
      promoted('redis-2', 'redis-1', stopped('redis-1', 'redis-restart')).at(60).heal('redis-restart'),
      stopped('redis-1').at(60).heal('slow-redis'),
    ],
  },
  'a-copy-came-after-redis-was-back': {
    reached: [sent().apply(1).strike('redis-restart').at(50).heal('redis-restart').deliver(2, 'm1', 'consumer-2', 2)],
    missed: [
      sent().strike('redis-restart').apply(1).at(50).heal('redis-restart').deliver(2, 'm1', 'consumer-2', 2),
      sent().apply(1).strike('redis-restart').deliver(2, 'm1', 'consumer-2', 2).at(50).heal('redis-restart'),
      sent().apply(1).strike('slow-redis').at(50).heal('slow-redis').deliver(2, 'm1', 'consumer-2', 2),
    ],
  },
  'redis-stood-still-while-a-delivery-was-open': {
    reached: [delivered().strike('slow-redis')],
    missed: [delivered().done(1).at(5).strike('slow-redis'), delivered().strike('slow-link')],
  },
  'a-machine-died-while-a-delivery-was-open': {
    reached: [delivered().strike('machine-restart')],
    missed: [delivered().done(1).at(5).strike('machine-restart'), delivered().strike('redis-restart')],
  },
  'an-empty-primary-wiped-its-replicas': {
    reached: [topology(lostBy('restart', true), 'resynced', 'redis-2')],
    missed: [
      topology(lostBy('restart', true, []), 'resynced', 'redis-2'),
      topology(lostBy('restart', true), 'resynced', 'redis-1'),
      topology(promoted('redis-2', 'redis-1', lostBy('restart', true)), 'resynced', 'redis-3'),
      topology(delivered(), 'resynced', 'redis-2'),
    ],
  },
  'a-sentinel-learned-late': {
    reached: [topology(promoted().at(1100), 'announced', 'sentinel-3', 'redis-2')],
    missed: [
      topology(promoted().at(900), 'announced', 'sentinel-3', 'redis-2'),
      topology(promoted().at(1100), 'announced', 'sentinel-3', 'redis-1'),
    ],
  },
  'a-replaced-primary-came-back': {
    reached: [topology(promoted(), 'resynced', 'redis-1')],
    missed: [
      topology(promoted(), 'resynced', 'redis-3'),
      promoted('redis-2', 'redis-1', topology(delivered(), 'resynced', 'redis-1')),
    ],
  },
  'everything-was-done-without-faults': {
    reached: [aRun({ faultFree: true }).publish('m1').settle('m1', 'done').rest()],
    missed: [
      aRun({ faultFree: true }).publish('m1').publish('m2').settle('m1', 'done').rest(),
      aRun({ faultFree: true }).publish('m1').settle('m1', 'done').breakOff(),
      aRun().publish('m1').settle('m1', 'done').rest(),
      aRun({ faultFree: true }).rest(),
    ],
  },
}

test('every goal has examples here, a unique name and a sentence', () => {
  expect(goals.map(({ name }) => name).sort()).toEqual(Object.keys(examples).sort())
  for (const { name, about } of goals)
    expect([name, about]).toEqual([expect.stringMatching(/^[a-z-]+$/), expect.stringMatching(/\.$/)])
})

describe.each(Object.entries(examples))('%s', (name, { reached: yes, missed: no }) => {
  test('is reached', () => expect(yes.map((history) => reached(name, history))).toEqual(yes.map(() => true)))
  test('is missed', () => expect(no.map((history) => reached(name, history))).toEqual(no.map(() => false)))
})

describe('a goal about a mechanism that a layer lacks', () => {
  const layer = (lacks: Implementation['lacks']): Implementation => ({
    id: 'naive',
    ...(lacks === undefined ? {} : { lacks }),
    create: () => ({ handle: async () => ({ status: 'retry' }) }),
  })

  test('is n/a for that layer, with the reason', () => {
    expect(notApplicable('a-holder-outlived-its-lease', layer(['lease', 'dead-lettering']))).toBe('naive has no leases')
    expect(notApplicable('a-message-was-dead-lettered-in-doubt', layer(['dead-lettering']))).toBe(
      'naive has no way to dead-letter messages',
    )
  })

  test('is n/a for a layer that does not declare it, if few layers have it', () => {
    const goal = 'half-a-pipeline-was-executed'
    expect(notApplicable(goal, layer(undefined))).toBe('naive has no pipelines')
    expect(notApplicable(goal, { ...layer(undefined), has: ['command-timeout'] })).toBe('naive has no pipelines')
    expect(notApplicable(goal, { ...layer(undefined), has: ['pipeline'] })).toBeNull()
  })

  test('explains how to declare that it is lacking, but only if most layers have it', () => {
    expect(lacksText(['a-request-was-lost', 'an-offline-queue-was-sent-minutes-later'])).toBe(
      "the adapter may declare `lacks: ['offline-queue']` if it has no queue that keeps commands for minutes while offline",
    )
    expect(lacksText(['a-request-was-lost', 'half-a-pipeline-was-executed', 'unheard-of'])).toBeNull()
  })

  test('is n/a on a sink that never leaves such a state, and required on others', () => {
    expect(notApplicable('a-message-was-dead-lettered-in-doubt', layer(undefined), 'fenced')).toContain('fenced sink: ')
    expect(notApplicable('a-message-was-dead-lettered-in-doubt', layer(undefined), 'plain')).toBeNull()
    expect(notApplicable('a-request-was-lost', layer(undefined), 'fenced')).toBeNull()
  })

  test('is required of every other layer, as are all other goals', () => {
    expect(notApplicable('a-holder-outlived-its-lease', layer(undefined))).toBeNull()
    expect(notApplicable('a-holder-outlived-its-lease', layer(['dead-lettering']))).toBeNull()
    expect(notApplicable('a-request-was-lost', layer(['lease', 'stored-result', 'dead-lettering']))).toBeNull()
  })
})

test('an unknown goal is reported with the list of goals', () => {
  expect(() => reached('a-goat-was-lost', aRun())).toThrow(
    /unknown goal "a-goat-was-lost"; goals: .*a-request-was-lost/,
  )
})
