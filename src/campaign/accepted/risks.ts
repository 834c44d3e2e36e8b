/**
 * The risks that can be accepted. Each risk has facts that show that it came true, and a function
 * that makes a plan without the risk. This plan changes nothing else: a server that restarts still
 * breaks its connections, but keeps all of its data.
 */
import { lossMayConcern } from '../../check/excuse-for-dead-lettering.ts'
import { planned } from '../../check/planned.ts'
import type { History } from '../../contract/api/history.ts'
import type { EventOf, HistoryIndex } from '../../contract/api/history-index.ts'
import type { Plan, PlannedFault, PostgresPlan, RedisPlan } from '../../contract/api/plan.ts'
import type { RiskName } from '../../contract/api/risk.ts'
import type { Violation } from '../../contract/api/verdict.ts'

/** A violation of one key in its run. */
interface Broken {
  readonly key: string
  /**
   * Start of the older attempt, or of the first delivery of the key. Earlier losses do not explain
   * the violation.
   */
  readonly sinceSeq: number
  /**
   * The second request, or the last event of the violation. Later facts do not explain the
   * violation.
   */
  readonly untilSeq: number
  /** The last event of the violation. */
  readonly lastSeq: number
  readonly history: History
  readonly reading: HistoryIndex
}

interface Risk {
  /** True if the risk came true before the violation and may concern its key. */
  cameTrue(broken: Broken): boolean
  without(plan: Plan): Plan
}

/** Longer than any run. */
const foreverMs = 10 * 86_400_000

const mostClockStepMs = 60_000

type Loss = EventOf<'data-lost'>

const lost = ({ key, sinceSeq, untilSeq, reading }: Broken, isSuch: (loss: Loss) => boolean): boolean =>
  reading
    .of('data-lost')
    .some((loss) => isSuch(loss) && loss.seq > sinceSeq && loss.seq < untilSeq && concerns(key, loss, reading))

const concerns = (key: string, loss: Loss, reading: HistoryIndex): boolean =>
  loss.effects?.includes(key) === true || lossMayConcern(key, loss, reading)

const isOfPostgres = ({ node }: Loss): boolean => node.startsWith('postgres')

/** One server, with the defaults of a plan without a deployment. */
const oneServer: Omit<RedisPlan, 'keeps'> = {
  ...{ replicas: 0, sentinels: 0, downAfterMs: 0, failoverTimeoutMs: 0 },
  ...{ minReplicasToWrite: 0, fullSyncMs: 0, loadingMs: 0 },
}

export const risks: Readonly<Record<RiskName, Risk>> = {
  'redis-data-loss': {
    cameTrue: (broken) =>
      lost(broken, (loss) => ['flush', 'eviction', 'restart'].includes(loss.cause) && !isOfPostgres(loss)),
    without({ redis, ...plan }) {
      const faults = plan.faults
        .filter(({ kind }) => kind !== 'redis-flushed' && kind !== 'eviction')
        .map(({ diskLost: _, ...fault }) => fault as PlannedFault)
      const restarts = redis !== undefined || faults.some(({ kind }) => kind === 'redis-restart')
      return { ...plan, faults, ...(restarts ? { redis: { ...oneServer, ...redis, keeps: 'aof-always' } } : {}) }
    },
  },
  'asynchronous-failover': {
    // The plan without this risk also excludes other losses of Redis. So this risk does not explain
    // a violation that another loss may explain.
    cameTrue: (broken) =>
      lost(broken, ({ cause }) => cause === 'failover' || cause === 'split-brain') &&
      !risks['redis-data-loss'].cameTrue(broken),
    without: ({ redis, postgres, ...plan }) => ({
      ...plan,
      // A server that dies stays down for the same time, and restarts with its data.
      ...(redis === undefined ? {} : { redis: { ...redis, downAfterMs: foreverMs, keeps: 'aof-always' } }),
      ...(postgres === undefined ? {} : { postgres: withoutLag(postgres) }),
    }),
  },
  'asynchronous-commit': {
    cameTrue: (broken) => lost(broken, (loss) => loss.cause === 'restart' && isOfPostgres(loss)),
    without: ({ postgres, ...plan }) =>
      postgres === undefined ? plan : { ...plan, postgres: { ...postgres, synchronousCommit: true } },
  },
  'sink-forgets': {
    // A keyed sink decides about a key only once while it remembers the key.
    cameTrue({ key, lastSeq, history, reading }) {
      if (history.header.sink !== 'keyed') return false
      const applied = reading.ofKey('effect-applied', key).filter(({ seq }) => seq <= lastSeq)
      const isRefused = reading
        .ofKey('effect-refused', key)
        .some(({ seq, reason }) => reason === 'refused' && seq <= lastSeq)
      return applied.length > 1 || (applied.length === 1 && isRefused)
    },
    without: ({ sinkRemembersMs: _, ...plan }) => plan,
  },
  'copies-after-retention': {
    cameTrue({ key, untilSeq, history, reading }) {
      const first = reading.ofKey('published', key)[0]
      if (first === undefined) return false
      const latestUs = first.atUs + history.header.retentionMs * 1000
      return reading.deliveriesOf(key).some(({ delivered }) => delivered.seq < untilSeq && delivered.atUs > latestUs)
    },
    without: ({ retentionMs, sinkRemembersMs, ...plan }) => ({
      ...plan,
      retentionMs: retentionMs + foreverMs,
      ...(sinkRemembersMs === undefined ? {} : { sinkRemembersMs: sinkRemembersMs + foreverMs }),
    }),
  },
  'clock-steps-beyond-1-minute': {
    cameTrue: ({ untilSeq, history, reading }) =>
      reading.of('fault-struck').some((struck) => struck.seq < untilSeq && isLongStep(planned(struck, history.header))),
    without: (plan) => ({
      ...plan,
      faults: plan.faults.map((fault) =>
        isLongStep(fault) ? { ...fault, byMs: Math.sign(Number(fault.byMs)) * mostClockStepMs } : fault,
      ),
    }),
  },
}

/** If there is a standby, it receives each commit before other sessions can see the commit. */
const withoutLag = ({ standbyLagMs: _, ...postgres }: PostgresPlan): PostgresPlan =>
  postgres.standby === undefined ? postgres : { ...postgres, standby: 'synchronous' }

const isLongStep = ({ kind, byMs }: Partial<PlannedFault>): boolean =>
  kind === 'clock-step' && Math.abs(Number(byMs)) > mostClockStepMs

/**
 * Null for a violation without a key, such as data that a layer never removes. No risk explains
 * such a violation.
 */
export function brokenOf(history: History, reading: HistoryIndex, { key, events }: Violation): Broken | null {
  if (key === null || events.length === 0) return null
  const requests = events.flatMap((seq) => {
    const event = history.events[seq]!
    return event.type === 'effect-applied' ? (reading.requests.get(event.requestId) ?? []) : []
  })
  const common = { key, lastSeq: Math.max(...events), history, reading }
  if (requests.length < 2) {
    const [first] = reading.deliveriesOf(key)
    return { ...common, sinceSeq: first?.delivered.seq ?? 0, untilSeq: common.lastSeq }
  }
  // `untilSeq` is the request that was sent later, because the earlier one was legitimate.
  const began = requests.flatMap(({ sent, delivery, senders = delivery === undefined ? [] : [delivery] }) =>
    senders.length === 0 ? [sent.seq] : senders.map(({ delivered }) => delivered.seq),
  )
  return { ...common, sinceSeq: Math.min(...began), untilSeq: Math.max(...requests.map(({ sent }) => sent.seq)) }
}
