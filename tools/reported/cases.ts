/**
 * Bugs that users of other projects reported. Each is shown by two layers of test/reported/layers,
 * with and without the mistake, and has the expected verdict on each layer.
 */
import type { Finding } from '../../src/contract/results/results.ts'

/** The part of a finding that is compared with a case. */
export interface Told extends Pick<Finding, 'otherKinds' | 'why' | 'acceptable'> {
  /** The id of the finding's root cause. Absent: each finding is a separate root cause. */
  readonly rootCause?: string
  readonly cause: Pick<Finding['cause'], 'invariant' | 'kind'>
}

/** A root cause: its invariants and kinds, and a pattern for its sentence. */
export interface Reason {
  /** Ways such as `at-most-once duplicate`. An invariant alone means all of its kinds. */
  readonly ways: readonly string[]
  readonly says: RegExp
}

/** Why a repaired layer still violates an invariant. */
export interface Left extends Reason {
  /** True if the report, or the header of the repair, mentions the violation. */
  readonly admitted: boolean
  readonly because: string
}

/** A scenario and a small number of runs that show the bug, with the project's seed. */
interface Shown {
  readonly scenario: string
  readonly runs: number
}

export interface ReportedCase {
  /** A file of test/reported/layers, without its extension. */
  readonly file: string
  /** `owner/repository#number`, or the report's usual name. */
  readonly reports: readonly string[]
  readonly bug: Shown & Reason & { readonly id: string }
  /**
   * The repair; absent if the report requests none. It is played in the bug's scenario, unless
   * `scenario` is set.
   */
  readonly fix?: Partial<Shown> & { readonly id: string; readonly left?: readonly Left[] }
}

export type Side = 'bug' | 'fix'
export const sidesOf = ({ fix }: ReportedCase): readonly Side[] => (fix === undefined ? ['bug'] : ['bug', 'fix'])

export const isToldAs = ({ ways, says }: Reason, { cause, otherKinds = [], why }: Told): boolean =>
  says.test(why) &&
  [cause.kind, ...otherKinds].some((kind) =>
    ways.some((way) => way === cause.invariant || way === `${cause.invariant} ${kind}`),
  )

/**
 * The root cause that matches the reason, if it is among the first three: its first finding that
 * matches, its position, and how many of those before it are not counted. Those of `shared` are not
 * counted, because they are true of the repair too.
 */
export function placeOf<One extends Told>(reason: Reason, findings: readonly One[], shared: readonly Reason[] = []) {
  const roots = new Map<string | number, One[]>()
  for (const [at, finding] of findings.entries()) {
    const { rootCause = at } = finding
    roots.set(rootCause, [...(roots.get(rootCause) ?? []), finding])
  }
  let own = 0
  for (const [at, root] of [...roots.values()].entries()) {
    const found = root.find((finding) => isToldAs(reason, finding))
    if (found !== undefined) return own < 3 ? { at, found, notCounted: at - own } : null
    if (!shared.some((one) => isToldAs(one, root[0]!))) own++
  }
  return null
}

/** A reason for layers on a sink that deduplicates and forgets keys. */
const sinkForgets = {
  ways: ['at-most-once'],
  says: /; the sink remembered the key for /,
  admitted: false,
  because: 'a message that arrives after the sink has forgotten its key has a second effect (`accepts: sink-forgets`)',
} as const

const redisForgets = {
  ways: ['at-most-once'],
  says: /^(Redis (was emptied|evicted|came back from its restart)|the failover promoted a server|.* went to a primary that had been replaced)/,
  admitted: false,
  because: 'a message is performed again after Redis loses its record (`accepts: redis-data-loss`)',
} as const

/**
 * A reason for layers that do not check the produced-at time, or that check a wrong produced-at
 * time.
 */
const recordEnds = {
  ways: ['at-most-once'],
  says: /^the record expired after .*, and a message (that was older than the retention|was performed again: its produced-at time, .*, made it younger than the retention)/,
  admitted: false,
  because: 'a message that arrives after its record has expired has a second effect',
} as const

const silentConnection = {
  ways: ['bounded-stall retry-goes-on'],
  says: / still answered retry for |^the connections of .+ were half-open, |^the last attempt threw \(Error\), after UNWATCH /,
  admitted: false,
  because: 'its client uses a half-open connection for longer than the bound',
} as const

const jobWaits = {
  ways: ['bounded-stall retry-goes-on'],
  says: /^the last attempt answered retry, after the script "Get a job state" had answered (waiting|active)/,
  admitted: false,
  because: 'a job waits while the connection of its worker is half-open',
} as const

const silentWorker = {
  ways: ['no-lost-message accepted-and-forgotten'],
  says: /^the attempt answered accepted after HGETALL had answered a value$/,
  admitted: false,
  because: 'its worker waits for jobs on a half-open connection for longer than the bound',
} as const

const jobsStay = {
  ways: ['no-immortal-keys as-many-as-keys'],
  says: /^\d+ Redis keys never expire, /,
  admitted: false,
  because: 'BullMQ removes an old job only when another job ends',
} as const

const leaseEnds = {
  ways: ['at-most-once'],
  says: /^the claim (of the first attempt )?expired after .*, while (it|its holder|the effect of its holder) was still/,
  admitted: false,
  because: 'a lock that ends while its holder works lets the next attempt in',
} as const

const crashRepeats = {
  ways: ['at-most-once repeat-after-crash'],
  says: /^the process died after it had sent the effect and before it had recorded it/,
  admitted: false,
  because: 'a crash between the effect and its record repeats the effect',
} as const

const keyAlone = {
  ways: ['payload-bound answered-as-if-the-same'],
  says: /^the key alone decided: /,
  admitted: false,
  because: 'it does not compare payloads',
} as const

const refusedAgain = {
  ways: ['no-lost-message given-up', 'bounded-stall retry-goes-on'],
  says: /^the sink refused the effect for good \d+ times, and no attempt answered refused$/,
  admitted: false,
  because: 'a refused effect is sent again until the broker gives up',
} as const

const errorRepeats = {
  ways: ['at-most-once repeat-after-error', 'at-most-once zombie'],
  says: /; the layer treated that as a failure and deleted its claim$/,
  admitted: false,
  because: 'an error of the sink does not prove that there was no effect',
} as const

const claimOutlivesAttempts = {
  ways: ['no-lost-message given-up', 'bounded-stall retry-goes-on'],
  says: /^the last attempt answered retry, after SET NX had answered nothing$/,
  admitted: false,
  because: 'the broker gives up on a message while the claim of a dead holder lives',
} as const

const workerFailed =
  /^\S+ had taken the job \(.+\), and its call of the sink failed \(.+\); no worker called the sink for the key again$/

export const cases: readonly ReportedCase[] = [
  {
    file: '01-setnx-then-pexpire',
    reports: ['laravel/horizon#1738', 'redis/redis-py#902'],
    bug: {
      id: 'setnx-then-pexpire',
      ...{ scenario: 'only-crashes', runs: 12 },
      ways: ['no-lost-message given-up', 'bounded-stall retry-goes-on', 'no-immortal-keys named-after-a-message'],
      says: /^an attempt (died|answered retry) and left its claim behind: it turned later ones away$|^SETNX wrote a key for the message without a TTL/,
    },
    fix: { id: 'set-nx-px', left: [refusedAgain, sinkForgets, claimOutlivesAttempts] },
  },
  {
    file: '02-script-with-an-undeclared-key',
    reports: ['jefferyjob/go-redislock#43'],
    bug: {
      id: 'script-with-an-undeclared-key',
      ...{ scenario: 'cluster-failover', runs: 1 },
      ways: ['bounded-stall', 'no-lost-message'],
      says: /ERR Script attempted to access a non local key in a cluster node/,
    },
    fix: { id: 'script-with-a-hash-tag', left: [sinkForgets] },
  },
  {
    file: '04-watch-on-one-connection',
    reports: ['redis/node-redis#1322', 'redis/node-redis#559', 'redis/node-redis#2613'],
    bug: {
      id: 'watch-on-one-connection',
      ...{ scenario: 'redelivery-storm', runs: 20 },
      ways: ['at-most-once duplicate'],
      says: /another EXEC on the same connection had ended the WATCH$/,
    },
    fix: { id: 'watch-on-a-connection-each', left: [redisForgets, recordEnds, silentConnection] },
  },
  {
    file: '05-seen-before-it-is-handled',
    reports: ['langfuse/langfuse#15463', 'creator-os#984'],
    bug: {
      id: 'seen-before-it-is-handled',
      ...{ scenario: 'lost-reply', runs: 12 },
      ways: ['no-false-done done-without-effect'],
      says: /^a claim was mistaken for an effect: the attempt that had written it failed without one, and the next one answered done/,
    },
    fix: {
      id: 'seen-until-it-fails',
      ...{ scenario: 'only-crashes', runs: 6 },
      left: [
        {
          ways: ['no-false-done done-without-effect'],
          says: /^a claim was mistaken for an effect: the attempt that had written it died without one/,
          admitted: true,
          because: 'a crash between the note and the effect leaves the note',
        },
        {
          ways: ['no-false-done done-without-effect'],
          says: /^a claim was mistaken for an effect: the attempt that had written it (failed without one|had not sent one yet)/,
          admitted: false,
          because: 'a copy that arrives before the note is deleted is answered as done',
        },
        ...[errorRepeats, keyAlone, redisForgets, recordEnds, silentConnection],
      ],
    },
  },
  {
    file: '06-dropped-when-unlocked',
    reports: ['mhenrixon/sidekiq-unique-jobs#788', 'mhenrixon/sidekiq-unique-jobs#862'],
    bug: {
      id: 'dropped-when-unlocked',
      ...{ scenario: 'only-pauses', runs: 40 },
      ways: ['no-false-done done-without-effect'],
      says: /^the claim of the attempt had expired after .* when it released the claim \(DEL answered 0\), and it answered done without an effect$/,
    },
    fix: { id: 'run-although-unlocked', left: [refusedAgain, sinkForgets] },
  },
  {
    file: '07-job-removed-once-complete',
    reports: ['taskforcesh/bullmq#1318', 'taskforcesh/bullmq#1900'],
    bug: {
      id: 'job-removed-once-complete',
      ...{ scenario: 'only-redeliveries', runs: 1 },
      ways: ['at-most-once duplicate'],
      says: /^\S+ took the job \(.+\) and had the sink's answer, and \S+ took it again \(.+\); in between, Redis executed .+, then .+$/,
    },
    fix: { id: 'job-kept-once-complete', left: [redisForgets, silentConnection, jobWaits, keyAlone, jobsStay] },
  },
  {
    file: '08-failed-job-keeps-its-id',
    reports: ['OptimalBits/bull#1828', 'OptimalBits/bull#855', 'taskforcesh/bullmq#1337'],
    bug: {
      id: 'failed-job-keeps-its-id',
      ...{ scenario: 'lost-reply', runs: 2 },
      ways: ['no-lost-message accepted-and-forgotten'],
      says: workerFailed,
    },
    fix: { id: 'failed-job-is-tried-again', left: [silentWorker, jobsStay] },
  },
  {
    file: '10-outbox-locked-for-a-statement',
    reports: ['bluewave-labs/verifywise#2313'],
    bug: {
      id: 'outbox-locked-for-a-statement',
      ...{ scenario: 'competing-consumers', runs: 2 },
      ways: ['at-most-once'],
      says: /^SELECT mails of \S+ locked the row outside of a transaction, so that the lock ended with the statement; /,
    },
    fix: {
      id: 'outbox-locked-until-it-is-sent',
      ...{ scenario: 'postgres-crash', runs: 11 },
      left: [
        {
          ways: ['at-most-once repeat-after-crash'],
          says: /^\S+ had taken the job \(SELECT mails\) and died after it had sent the effect, before it had finished the job; /,
          admitted: true,
          because: 'on a plain sink, the effect happens at least once after a crash',
        },
        {
          ways: ['at-most-once repeat-after-error'],
          says: /^the transaction in which \S+ had taken the job \(SELECT mails\) did not commit after it had sent the effect: |^the sink's answer to \S+, which had taken the job \(SELECT mails\), was an error, though the effect was applied; /,
          admitted: false,
          because: 'a transaction that fails, or a lost answer of the sink, also repeats the effect',
        },
        {
          ways: ['at-most-once zombie', 'at-most-once duplicate'],
          says: /, and its row lock with it$/,
          admitted: false,
          because: 'a worker whose session has ended continues to send the rows that it had locked',
        },
        {
          ways: ['no-lost-message accepted-and-forgotten'],
          says: /^\S+ had taken the job \(SELECT mails\) and did not call the sink for it; /,
          admitted: false,
          because: 'a row whose effect the sink refuses for good blocks the others',
        },
        ...[keyAlone, sinkForgets],
      ],
    },
  },
  {
    file: '11-session-lock-in-a-pool',
    reports: ['lyft/clutch#2441', 'electric-sql/electric#2682'],
    bug: {
      id: 'session-lock-in-a-pool',
      ...{ scenario: 'competing-consumers', runs: 20 },
      ways: ['at-most-once duplicate'],
      says: /^two attempts got one session from their pool: it held the advisory lock/,
    },
    fix: { id: 'lock-of-the-transaction', left: [keyAlone] },
  },
  {
    file: '12-upsert-over-a-record',
    reports: ['Truxify#9954', 'akkuea#1048'],
    bug: {
      id: 'upsert-over-a-record',
      ...{ scenario: 'competing-consumers', runs: 4 },
      ways: ['at-most-once'],
      says: /its INSERT requests ON CONFLICT DO UPDATE then wrote over the row of the first one$/,
    },
    fix: { id: 'insert-or-do-nothing', left: [keyAlone] },
  },
  {
    file: '13-milliseconds-as-seconds',
    reports: ['aws-powertools/powertools-lambda-python#1387', 'aws-powertools/powertools-lambda-python#1038'],
    bug: {
      id: 'milliseconds-as-seconds',
      ...{ scenario: 'only-crashes', runs: 2 },
      ways: ['no-lost-message', 'bounded-stall'],
      says: /the condition of its write failed, since endsAt \(\d{13}\) < :now \(\d{10}\) is false$/,
    },
    fix: {
      id: 'milliseconds-as-milliseconds',
      left: [refusedAgain, sinkForgets],
    },
  },
  {
    file: '14-middleware-that-fails-open',
    reports: ['aura-vault#581', 'dust-tt/dust#25883', 'langfuse/langfuse#15463'],
    bug: {
      id: 'middleware-that-fails-open',
      ...{ scenario: 'network-partition', runs: 20 },
      ways: ['at-most-once'],
      says: /^the (first|next) attempt called the sink .+, without an answer to that|^SET NX of the (first|next) attempt was answered error \S+, and it performed anyway/,
    },
    fix: {
      id: 'middleware-that-fails-closed',
      left: [
        {
          ways: ['no-needless-park dead-lettered-for-nothing'],
          says: /^the attempt answered dead-letter after PTTL had answered a number$/,
          admitted: false,
          because: 'a begin without a result is dead-lettered, even if no effect was sent',
        },
        ...[redisForgets, recordEnds, silentConnection],
      ],
    },
  },
  {
    file: '15-look-then-write-in-a-hook',
    reports: ['novuhq/novu#4472', 'Truxify#4001'],
    bug: {
      id: 'look-then-write-in-a-hook',
      ...{ scenario: 'key-reuse', runs: 4 },
      ways: ['at-most-once duplicate', 'payload-bound executed-with-another-payload'],
      says: /^the process of the second attempt looked \(GET\) while the first attempt was at work and had written nothing there yet/,
    },
    fix: { id: 'write-if-new-in-a-hook', left: [redisForgets, recordEnds, silentConnection] },
  },
  {
    file: '16-mark-of-twenty-seconds',
    reports: ['getsentry/sentry#107734'],
    bug: {
      id: 'mark-of-twenty-seconds',
      ...{ scenario: 'stale-message', runs: 4 },
      ways: ['at-most-once'],
      says: /^the record expired after 20 s, while deliveries of the message still came$/,
    },
    fix: { id: 'mark-of-twice-the-retention', left: [redisForgets, recordEnds] },
  },
  {
    file: '17-look-at-a-replica',
    reports: ['seaweedfs/seaweedfs#10745', 'dimagi/commcare-cloud#5282'],
    bug: {
      id: 'look-at-a-replica',
      ...{ scenario: 'redis-failover', runs: 3 },
      ways: ['at-most-once'],
      says: /^GET of the next attempt asked redis-\d, which lacked the write of the first attempt to redis-\d; so the next attempt performed again$/,
    },
    fix: { id: 'look-at-the-primary', left: [redisForgets, recordEnds, leaseEnds, crashRepeats, errorRepeats] },
  },
  {
    file: '19-reply-that-never-comes',
    reports: ['redis/ioredis#2193'],
    bug: {
      id: 'reply-that-never-comes',
      ...{ scenario: 'half-open-connections', runs: 6 },
      ways: ['no-lost-message handler-never-answers'],
      says: /^the reply to \S+ can no longer come: its connection was lost, the command was not sent again, and the handler did nothing after it$/,
    },
    fix: { id: 'command-sent-again', left: [refusedAgain, sinkForgets] },
  },
  {
    file: '20-window-by-the-consumers-clock',
    reports: ['inngest/inngest#4001', 'px-kinesis-client#3'],
    bug: {
      id: 'window-by-the-consumers-clock',
      ...{ scenario: 'stale-message', runs: 4 },
      ways: ['at-most-once'],
      says: /^ZREMRANGEBYSCORE of the next attempt deleted the claim of the first, and it found the key free after that$/,
    },
    fix: { id: 'window-by-redis', left: [redisForgets, recordEnds] },
  },
  {
    file: '22-record-without-its-end',
    reports: ['redis-io#238', 'dv/redis-semaphore#39'],
    bug: {
      id: 'record-without-its-end',
      ...{ scenario: 'only-redeliveries', runs: 2 },
      ways: ['no-immortal-keys named-after-a-message'],
      says: /^GETSET wrote (over a key for the message, removed its TTL of .*|a key for the message without a TTL), and nothing set /,
    },
    fix: { id: 'record-with-its-end', left: [refusedAgain, sinkForgets] },
  },
  {
    file: '24-failed-row-of-a-queue',
    reports: ['timgit/pg-boss#102', 'timgit/pg-boss#367', 'timgit/pg-boss#81'],
    bug: {
      id: 'failed-row-of-a-queue',
      ...{ scenario: 'sink-errors', runs: 5 },
      ways: ['no-lost-message accepted-and-forgotten'],
      says: workerFailed,
    },
  },
  {
    file: '25-failed-job-of-a-script',
    reports: ['OptimalBits/bull#1828'],
    bug: {
      id: 'failed-job-of-a-script',
      ...{ scenario: 'lost-reply', runs: 2 },
      ways: ['no-lost-message accepted-and-forgotten'],
      says: workerFailed,
    },
    fix: {
      id: 'failed-job-waits-again',
      left: [
        {
          ways: ['no-lost-message accepted-and-forgotten'],
          says: /^\S+ had taken the job \(.+\)(, and the reply to that was lost| and died .+); no worker called the sink for the key( again)?$/,
          admitted: false,
          because: 'a job whose worker dies or misses the reply stays in the active list',
        },
        {
          ways: ['no-immortal-keys named-after-a-message'],
          says: /^EVALSHA \S+ left a key for the message without a TTL, and nothing set one or deleted it$/,
          admitted: false,
          because: 'a job that is not completed keeps its key without an expiry',
        },
        keyAlone,
      ],
    },
  },
  {
    file: '26-look-then-write-with-callbacks',
    reports: ['errorception/redis-lock'],
    bug: {
      id: 'look-then-write-with-callbacks',
      ...{ scenario: 'competing-consumers', runs: 1 },
      ways: ['at-most-once duplicate'],
      says: /^the process of the second attempt looked \(GET\) while the first attempt was at work and had written nothing there yet$/,
    },
  },
]
