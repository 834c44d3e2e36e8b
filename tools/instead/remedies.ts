/**
 * The repaired version of each pattern of the articles: all of docs/findings/instead.md except the
 * measured parts.
 */
import type { SinkKind } from '../../src/contract/api/sink.ts'

/** A behavior of an adapter of `implementations/articles`, and the behavior of its twin. */
export type Change = readonly [is: string, instead: string]

export interface Remedied {
  /** The first adapter of the pattern's row in docs/findings/articles.md. */
  readonly pattern: string
  readonly changes: readonly Change[]
}

export interface Remedy {
  /**
   * An adapter of `implementations/repaired`, or of `implementations/correct`, whose files argue
   * that the adapter is correct.
   */
  readonly twin: string
  readonly title: string
  /** The sink that the twin needs. */
  readonly sink: SinkKind
  readonly idea: string
  readonly patterns: readonly Remedied[]
  readonly assumes: readonly string[]
  /** Costs other than round trips: for people and for the work itself. */
  readonly costs: string
  /**
   * The deciding scenarios. In a test with 250 runs of each, the twin passes and all of its
   * patterns break.
   */
  readonly decisive: readonly string[]
  /** Other scenarios in which the twin passes. */
  readonly also: readonly string[]
}

/** Scenarios on one server that keeps its data. */
const calm = [
  ...['only-redeliveries', 'only-lost-replies', 'only-consumer-clocks', 'only-redis-clock', 'only-expiry'],
  ...['competing-consumers', 'crash-mid-logic', 'late-crash', 'lost-reply', 'network-partition'],
  ...['half-open-connections', 'redelivery-storm', 'clock-skew', 'stale-message', 'poison-handler'],
]

/** Scenarios in which Redis loses writes. */
const losses = [
  ...['only-failovers', 'redis-failover', 'chained-failover', 'split-brain', 'forgotten-replica'],
  ...['redis-restart', 'eviction', 'data-loss', 'slow-settlement', 'everything'],
]

const change = {
  take: ['`SET key PROCESSING NX`', 'a script that also looks at the payload and at the age of the message'],
  atomic: ['`GET`, then `SET`', 'one script that reads, decides and writes'],
  outlives: ['an expiry of minutes, an hour or a day', '`PX`, twice the retention: a later copy must find the record'],
  onRefusal: [
    '`DEL key` after any error',
    '`DEL` only if the sink refused, by a script that compares the owner; any other error leaves the record',
  ],
  asOwner: ['`SET key COMPLETED`', 'a script that writes only over the own record'],
  unacknowledged: [
    'a found PROCESSING is acknowledged',
    "it is delivered again; after three leases by Redis's clock, it is dead-lettered for a person",
  ],
  asked: [
    'a found PROCESSING is delivered again until its lock ends',
    'the same for three leases, then it is dead-lettered',
  ],
  storesResult: ['COMPLETED says no more', 'the result stands beside it, and a copy is answered the same'],
  begin: [
    'the effect follows the lock',
    'a second script, the begin, goes before the effect: it answers 0 if the lock was lost',
  ],
  notTakenOver: ['an old STARTED is taken over', 'STARTED is; BEGUN never is, since its effect may have happened'],
  serversTime: ["`lock_expiry` against the client's `now`", "the record's age by its `PTTL`: Redis's own clock alone"],
  started: [
    'STARTED lives for 5 minutes',
    '`PX`, twice the retention: it is the begin, and ends with nothing but a result',
  ],
  failed: ['every error is stored as FAILED', 'a refusal gives the key back; any other error stays STARTED'],
  oneLock: ['`lock:key` taken and released in both phases', 'one script for each phase needs no lock around it'],
  passKey: ['the sink does not get the key', 'the sink is given the key, and answers a repeated request as the first'],
  deadLetterOld: [
    'no record means new',
    "if the message is older than the retention by Redis's clock, it is dead-lettered",
  ],
  keepsLock: [
    '`DEL` or a release after an error',
    'nothing: the lock ends with its lease, and the next attempt asks the sink again',
  ],
  takesOver: ['the lock is a key that expires', 'the record stays, and may be taken over when it is as old as a lease'],
  bindPayload: ['the record knows no payload', 'it keeps a hash of the payload, and another one is dead-lettered'],
  fence: ['the token is random', 'the script gives a number that only grows: a fence'],
  raise: [
    'the token is compared after the effect',
    'the sink is shown the fence before the effect, and refuses every lower one from then on',
  ],
  withFence: ['the effect knows no token', 'the request carries the fence'],
  withEffect: [
    'the effect is a request beside the transaction',
    'it is a row of the same transaction, written between the record and its result',
  ],
  waits: [
    "`lock_expires_at` against the client's clock",
    'no time: the second waits at the primary key until the first has committed or is gone',
  ],
  durable: [
    '`COMMIT`, as durable as the server is set',
    "`SET LOCAL synchronous_commit = 'on'`: it is answered when it is on disk",
  ],
  lostLock: [
    'a lock lost after the effect answers nothing',
    'done: the effect has happened, and the lock no longer matters',
  ],
} as const satisfies Record<string, Change>

/** Changes for patterns that set PROCESSING with NX and nothing else. */
const ofMarkers = [
  change.take,
  change.outlives,
  change.unacknowledged,
  change.asOwner,
  change.onRefusal,
  change.storesResult,
]

/** Changes for patterns whose script compares `lock_expiry` with the client's time. */
const ofScriptedLocks = [
  change.serversTime,
  change.begin,
  change.notTakenOver,
  change.asOwner,
  change.deadLetterOld,
  change.bindPayload,
]

/** An assumption, because the age of a request is not checked after the request is sent. */
const soonSent =
  'A request that was young enough when its message was looked at reaches the sink a second after the retention at the latest.'

/** An assumption, because sinks compare keys or fences, but not payloads. */
const forgottenPayload =
  'A key that comes with another payload is noticed while Redis keeps the record: behind a loss, it is answered as if it were the first.'

export const remedies: readonly Remedy[] = [
  {
    twin: 'repaired-set-nx-marker',
    title: 'A marker that stays',
    sink: 'plain',
    idea: 'The marker is the begin of the effect, and the only attempt that may send it is the one that wrote it. So it stays after a failure: no attempt deletes it, takes it over, or acknowledges because of it.',
    patterns: [
      { pattern: '000-set-nx-marker', changes: ofMarkers },
      { pattern: '001-set-nx-delete', changes: ofMarkers },
      {
        pattern: '002-get-then-processing',
        changes: [
          change.atomic,
          change.outlives,
          change.unacknowledged,
          change.asOwner,
          change.onRefusal,
          change.bindPayload,
        ],
      },
      {
        pattern: '002-check-and-set',
        changes: [change.outlives, change.unacknowledged, change.asOwner, change.onRefusal, change.bindPayload],
      },
      {
        pattern: '004-two-phase-lock',
        changes: [change.oneLock, change.started, change.asked, change.asOwner, change.failed, change.bindPayload],
      },
    ],
    assumes: [
      'Redis keeps what it has acknowledged: one server that loses no write. After a failover, a restart with less, an eviction or FLUSHALL, an effect may be repeated; `onceproof/once` notices these.',
      'The clock that sets produced-at times and that of Redis are within a second of each other.',
      'A person, or a check of the sink, settles dead-lettered messages.',
    ],
    costs:
      'A crash between marker and result dead-letters the message, even if the effect was never sent. `repaired-lua-acquire` dead-letters fewer, for one round trip more.',
    decisive: ['only-crashes', 'slow-lock-holder'],
    also: ['only-pauses', 'key-reuse', ...calm],
  },
  {
    twin: 'repaired-lua-acquire',
    title: 'A begin between lock and effect',
    sink: 'plain',
    idea: 'A lock that expires may be taken over until the effect is sent, and not after that. So a second script marks that moment: it writes BEGUN, only as the owner, and the effect follows only if it answers 1.',
    patterns: [
      {
        pattern: '000-get-set-record',
        changes: [
          change.atomic,
          change.serversTime,
          change.begin,
          change.notTakenOver,
          change.asOwner,
          change.bindPayload,
        ],
      },
      { pattern: '000-lua-acquire', changes: ofScriptedLocks },
      { pattern: '000-decorator', changes: ofScriptedLocks },
      {
        pattern: '001-lua-server-time',
        changes: [
          change.begin,
          change.notTakenOver,
          change.asOwner,
          change.onRefusal,
          change.deadLetterOld,
          change.storesResult,
        ],
      },
    ],
    assumes: [
      'Redis keeps its acknowledged writes, as above.',
      'The clock that sets produced-at times and that of Redis are within a second of each other.',
      'A person, or a check of the sink, settles dead-lettered messages.',
    ],
    costs: 'A crash after the begin dead-letters the message; one before it does not.',
    decisive: ['only-crashes', 'only-pauses'],
    also: ['slow-lock-holder', 'key-reuse', ...calm],
  },
  {
    twin: 'repaired-in-progress',
    title: 'The key for the sink',
    sink: 'keyed',
    idea: 'A lock that expires cannot prevent a second effect. A sink that gets the key and remembers it does: then the lock only saves requests, and may be short. If the sink accepts no key, this twin is as broken as its patterns; use `repaired-lua-acquire`.',
    patterns: [
      {
        pattern: '001-get-set',
        changes: [change.passKey, change.atomic, change.deadLetterOld, change.storesResult, change.bindPayload],
      },
      {
        pattern: '003-set-nx-in-progress',
        changes: [
          change.passKey,
          change.takesOver,
          change.asOwner,
          change.keepsLock,
          change.deadLetterOld,
          change.bindPayload,
        ],
      },
      { pattern: '004-naive', changes: [change.passKey, change.atomic, change.deadLetterOld, change.bindPayload] },
      {
        pattern: '004-lock-and-record',
        changes: [
          change.passKey,
          change.atomic,
          change.takesOver,
          change.asOwner,
          change.deadLetterOld,
          change.bindPayload,
        ],
      },
    ],
    assumes: [
      'The sink remembers a key for longer than the retention, by twice the difference of clocks. Whatever Redis forgets of an effect, the sink knows.',
      soonSent,
      forgottenPayload,
      'The clock that sets produced-at times and that of Redis are within a second of each other.',
    ],
    costs: 'Only a message past the retention, or with another payload, is dead-lettered.',
    decisive: ['only-crashes', 'key-reuse'],
    also: ['only-pauses', 'slow-lock-holder', ...calm, ...losses],
  },
  {
    twin: 'repaired-owner-token',
    title: 'A token that the sink sees',
    sink: 'fenced',
    idea: 'An owner token that Redis alone compares comes too late: the effect has already happened. A token that is a number, and that the sink is shown before the effect, comes in time. It needs a sink that knows fences; before any other, use `repaired-lua-acquire`.',
    patterns: [
      {
        pattern: '002-owner-token',
        changes: [change.fence, change.raise, change.withFence, change.lostLock, change.bindPayload],
      },
      {
        pattern: '002-watch-multi',
        changes: [change.atomic, change.fence, change.raise, change.withFence, change.lostLock, change.bindPayload],
      },
    ],
    assumes: [
      'The sink never forgets the highest fence of a key, and looks at it in the same step in which it applies an effect.',
      forgottenPayload,
    ],
    costs: 'One more request to the sink. Only another payload is dead-lettered.',
    decisive: ['only-crashes', 'only-pauses'],
    also: ['slow-lock-holder', 'key-reuse', ...calm, ...losses],
  },
  {
    twin: 'repaired-conditional-put',
    title: 'A conditional put with the key for the sink',
    sink: 'keyed',
    idea: 'A condition decides which of two attempts is first. It does not decide when an attempt is over: DynamoDB has no clock for it, and deletes late. So the sink gets the key, and the item only saves requests: it may be taken over early, by a condition, as soon as one attempt considers the lock expired.',
    patterns: [
      {
        pattern: '003-dynamodb',
        changes: [
          change.passKey,
          change.takesOver,
          change.asOwner,
          change.keepsLock,
          change.deadLetterOld,
          change.bindPayload,
        ],
      },
    ],
    assumes: [
      'The sink remembers a key for longer than the retention, by twice the difference of clocks.',
      soonSent,
      'A key that comes with another payload is noticed while its item exists. DynamoDB loses only items whose TTL has passed.',
      'The clock that sets produced-at times and those of consumers are within a second of each other.',
    ],
    costs: 'Only a message past the retention, or with another payload, is dead-lettered.',
    decisive: ['dynamodb-errors'],
    also: [
      ...['key-reuse', 'only-crashes', 'only-pauses', 'only-redeliveries', 'only-lost-replies'],
      ...['competing-consumers', 'crash-mid-logic'],
    ],
  },
  {
    twin: 'record-in-the-effects-transaction',
    title: 'The effect in the transaction of its record',
    sink: 'transactional',
    idea: 'A transaction can undo its rows, but no request to another system. So the effect is a row too: record and effect are committed together, or neither is. If the answer to COMMIT is lost, the next attempt reads the record. [Why it is correct](correct-layers.md).',
    patterns: [
      {
        pattern: '003-postgres-skip-locked',
        changes: [change.withEffect, change.waits, change.durable, change.bindPayload],
      },
    ],
    assumes: [
      'The effect is a row of the same database. For a mail or a request it does nothing.',
      'PostgreSQL keeps its durable data, and no record is deleted while copies may arrive.',
    ],
    costs:
      'The effect costs no extra request; its statement is among the round trips. A second attempt waits for the first with a connection. Only another payload is dead-lettered.',
    decisive: ['key-reuse', 'postgres-lost-commits'],
    also: [
      ...['only-crashes', 'only-pauses', 'only-redeliveries', 'only-lost-replies'],
      ...['competing-consumers', 'crash-mid-logic', 'postgres-crash'],
    ],
  },
]
