/** The claims of the five articles in our words, and the evidence: the text of docs/claims.md. */
import type { SinkKind } from '../../src/contract/api/sink.ts'

/** A layer under a scenario. Default: a plain sink. `breaks`: it must break, else it must hold. */
export interface Played {
  readonly layer: string
  readonly scenario: string
  readonly sink?: SinkKind
  readonly breaks: boolean
}

/** A fact that no verdict of a campaign shows, and the test that shows it. */
export interface Tested {
  readonly test: string
  readonly named: string
  readonly shows: string
}

export type Evidence = Played | Tested

export interface Claim {
  readonly article: string
  readonly says: string
  /** `refuted`: a run contradicts the article. `definition`: no run can. `not judged`: a premise is missing. */
  readonly verdict: 'true' | 'true, assuming' | 'refuted' | 'definition' | 'not judged'
  /** The assumption, the reason, or what belongs beside the verdict. */
  readonly because: string
  readonly evidence: readonly Evidence[]
}

const holds = (layer: string, scenario: string, sink: SinkKind = 'plain'): Played => {
  return { layer, scenario, sink, breaks: false }
}
const breaks = (layer: string, scenario: string, sink: SinkKind = 'plain'): Played => {
  return { layer, scenario, sink, breaks: true }
}

const tested = (test: string, named: string, shows: string): Tested => ({ test, named, shows })

/** One reason for three claims: a failed effect frees the key. */
const errorSaysNothing =
  'an error means that nothing has happened, or the sink answers a repeated key as the first; a time-out means neither'

export const claims: readonly Claim[] = [
  {
    article: '000',
    says: 'A UNIQUE index on the transaction is a first line of defense that answers no copy with its result.',
    verdict: 'true, assuming',
    because:
      'the effect is a row, commits are durable before they are answered, and no key comes with another payload. A copy is done without a result',
    evidence: [
      holds('000-unique-index', 'only-redeliveries', 'transactional'),
      holds('000-unique-index', 'only-crashes', 'transactional'),
      breaks('000-unique-index', 'key-reuse', 'transactional'),
    ],
  },
  {
    article: '000',
    says: 'One of two consumers that set a marker with NX gets through.',
    verdict: 'true',
    because: 'with copies and rebalances alone',
    evidence: [holds('000-set-nx-marker', 'only-redeliveries')],
  },
  {
    article: '000',
    says: 'A crash after the marker leaves a message that is skipped.',
    verdict: 'true',
    because: 'the message is lost',
    evidence: [breaks('000-set-nx-marker', 'only-crashes')],
  },
  {
    article: '000',
    says: 'GET, then SET, lets two through.',
    verdict: 'true',
    because: 'two copies at once are enough',
    evidence: [breaks('000-get-set-record', 'only-redeliveries')],
  },
  {
    article: '000',
    says: 'An expiry inside of the record handles a crash: the next consumer takes over.',
    verdict: 'true, assuming',
    because: 'the sink answers a repeated key as the first; on any other sink the effect is repeated',
    evidence: [holds('000-get-set-record', 'only-crashes', 'keyed'), breaks('000-get-set-record', 'only-crashes')],
  },
  {
    article: '000',
    says: 'The check and the lock in one script are atomic.',
    verdict: 'true',
    because: 'with copies and rebalances alone',
    evidence: [holds('000-lua-acquire', 'only-redeliveries')],
  },
  {
    article: '000',
    says: 'The script is robust, and the pattern to use in production.',
    verdict: 'refuted',
    because: 'it compares the clocks of two clients, and asks nothing again before the effect',
    evidence: [breaks('000-lua-acquire', 'only-consumer-clocks'), breaks('000-lua-acquire', 'only-pauses')],
  },
  {
    article: '000',
    says: 'A lock longer than the longest processing is enough.',
    verdict: 'true, assuming',
    because:
      'no process crashes or stands still for longer than the lock; 5 minutes are no bound for a suspended machine',
    evidence: [holds('000-lua-acquire', 'only-redeliveries'), breaks('000-lua-acquire', 'only-pauses')],
  },
  {
    article: '000',
    says: 'A duplicate call of the decorated function returns the stored result.',
    verdict: 'true',
    because: 'while the record lives',
    evidence: [holds('000-decorator', 'only-redeliveries')],
  },
  {
    article: '000',
    says: 'A more advanced layer could write a FAILED record when the effect raises.',
    verdict: 'true, assuming',
    because: errorSaysNothing,
    evidence: [
      tested(
        'test/implementations/suggested.long.test.ts',
        'FAILED frees the key: under %s a message is performed %d times soon after its effect failed',
        'after an error before the effect, the next attempt performs it once, and soon',
      ),
      holds('000-lua-acquire-failed', 'only-crashes', 'keyed'),
      breaks('000-lua-acquire-failed', 'slow-lock-holder'),
    ],
  },
  {
    article: '000',
    says: 'A record of 24 hours protects against duplicates.',
    verdict: 'true, assuming',
    because: 'no copy comes later',
    evidence: [holds('000-set-nx-marker', 'only-redeliveries'), breaks('000-set-nx-marker', 'only-expiry')],
  },
  {
    article: '001',
    says: 'Check, act, mark lets two act.',
    verdict: 'true',
    because: 'two copies at once are enough',
    evidence: [breaks('001-get-set', 'only-redeliveries')],
  },
  {
    article: '001',
    says: 'With SET NX, one consumer alone gets the lock.',
    verdict: 'true',
    because: 'with copies and rebalances alone',
    evidence: [holds('001-set-nx-delete', 'only-redeliveries')],
  },
  {
    article: '001',
    says: 'A crash stalls the message for an hour.',
    verdict: 'refuted',
    because:
      'the article understates its first pattern: a consumer that finds the lock acknowledges, so the message is lost at once',
    evidence: [breaks('001-set-nx-delete', 'only-crashes')],
  },
  {
    article: '001',
    says: 'A transaction of MULTI and EXEC is atomic, and cannot decide by what it reads.',
    verdict: 'true',
    because: 'its SET overwrites the record that its GET has found, and the message is lost or repeated',
    evidence: [breaks('001-multi-exec', 'only-redeliveries')],
  },
  {
    article: '001',
    says: 'A message whose key is held is NACKed for a short delay.',
    verdict: 'true, assuming',
    because:
      'the sink answers a repeated key as the first. The delay saves deliveries and decides nothing: with it and without it, a pause is enough for two effects',
    evidence: [
      holds('001-lua-server-time-delayed', 'only-redeliveries'),
      holds('001-lua-server-time-delayed', 'only-pauses', 'keyed'),
      breaks('001-lua-server-time-delayed', 'only-pauses'),
    ],
  },
  {
    article: '001',
    says: "The server's time makes skew between consumers harmless.",
    verdict: 'true',
    because: "consumers' clocks alone; a step of Redis's own clock is another matter",
    evidence: [holds('001-lua-server-time', 'only-consumer-clocks'), breaks('001-lua-server-time', 'only-redis-clock')],
  },
  {
    article: '001',
    says: 'Work whose COMPLETED was not written is repeated.',
    verdict: 'true',
    because: 'when the lock ends',
    evidence: [breaks('001-lua-server-time', 'only-crashes')],
  },
  {
    article: '001',
    says: 'A message is FAILED if its processing failed after multiple retries.',
    verdict: 'definition',
    because:
      'no code of the article writes FAILED. Its script answers FAILED like a held key: the message is NACKed until the broker gives it up, even if the sink has recovered',
    evidence: [breaks('001-failed-after-retries', 'poison-handler', 'keyed')],
  },
  {
    article: '001',
    says: 'The pattern is correct for the vast majority of uses.',
    verdict: 'true, assuming',
    because:
      'the sink answers a repeated key as the first; on any other sink a crash or a pause is enough for two effects',
    evidence: [
      holds('001-lua-server-time', 'only-crashes', 'keyed'),
      holds('001-lua-server-time', 'only-pauses', 'keyed'),
      breaks('001-lua-server-time', 'only-pauses'),
    ],
  },
  {
    article: '001',
    says: 'A transactional outbox is the remedy, with the database as the truth.',
    verdict: 'true, assuming',
    because:
      'the work is rows of that database, or its sink answers a repeated key as the first; commits are durable before they are answered, and no key comes with another payload. The relay performs at least once: work that is a request to another system is repeated',
    evidence: [
      holds('001-outbox', 'only-crashes', 'transactional'),
      holds('001-outbox', 'only-crashes', 'keyed'),
      breaks('001-outbox', 'only-crashes'),
      breaks('001-outbox', 'postgres-lost-commits', 'transactional'),
    ],
  },
  {
    article: '001',
    says: 'A million keys take 250 MB: a record is 150 to 250 bytes.',
    verdict: 'refuted',
    because:
      'records of its script take more on a real Redis, since a key, its expiry and the allocator count too ([benchmarks](benchmarks.md#a-real-redis-by-itself))',
    evidence: [
      tested(
        'test/implementations/record-size.server.test.ts',
        'takes more than 250 bytes of a real Redis',
        '20,000 completed records on a real Redis take more than 250 bytes each',
      ),
    ],
  },
  {
    article: '002',
    says: 'GET, then SET PROCESSING, is broken.',
    verdict: 'true',
    because: 'two copies at once are enough',
    evidence: [breaks('002-get-then-processing-nack-on-skip', 'only-redeliveries')],
  },
  {
    article: '002',
    says: 'check_and_set lets one of two consumers at once through.',
    verdict: 'true',
    because: 'with copies and rebalances alone',
    evidence: [holds('002-check-and-set-nack-on-skip', 'only-redeliveries')],
  },
  {
    article: '002',
    says: 'When the lock of a holder that merely hung ends, it acts besides its successor.',
    verdict: 'true',
    because: 'a pause is enough',
    evidence: [breaks('002-check-and-set-nack-on-skip', 'only-pauses')],
  },
  {
    article: '002',
    says: 'The guarded write is the last line of defense against duplicate processing.',
    verdict: 'refuted',
    because: 'it keeps a record from being overwritten, and comes after the effect',
    evidence: [breaks('002-owner-token-nack-on-skip', 'only-pauses')],
  },
  {
    article: '002',
    says: 'WATCH and MULTI stand in for the scripts.',
    verdict: 'true, assuming',
    because:
      'no connection is lost between WATCH and EXEC; and it takes five round trips, not two ([prices](instead.md))',
    evidence: [
      holds('002-watch-multi-nack-on-skip', 'only-redeliveries'),
      breaks('002-watch-multi-nack-on-skip', 'only-lost-replies'),
    ],
  },
  {
    article: '002',
    says: 'A key may be a hash of a stable subset of the payload.',
    verdict: 'true, assuming',
    because:
      'the subset differs for two orders, and is the same for two copies of one; two orders with one payload are one to it (a test plays them)',
    evidence: [holds('002-derived-key', 'only-redeliveries')],
  },
  {
    article: '002',
    says: 'A heartbeat might make the check of stale locks more robust.',
    verdict: 'true',
    because:
      'a short lock with a heartbeat outlives a long effect, and without one it does not. A heartbeat is not sufficient: a holder that stands still sends none, and goes on later',
    evidence: [
      breaks('002-owner-token-short-lock', 'long-effects'),
      holds('002-owner-token-heartbeat', 'long-effects'),
      breaks('002-owner-token-heartbeat', 'only-pauses'),
    ],
  },
  {
    article: '002',
    says: 'Deleting the key as its owner after an error allows a clean retry.',
    verdict: 'true, assuming',
    because: errorSaysNothing,
    evidence: [
      holds('002-owner-token-delete-if-owner', 'slow-lock-holder', 'keyed'),
      breaks('002-owner-token-delete-if-owner', 'slow-lock-holder'),
    ],
  },
  {
    article: '002',
    says: 'A FAILED key is retryable.',
    verdict: 'true, assuming',
    because: errorSaysNothing,
    evidence: [
      holds('002-owner-token-failed', 'slow-lock-holder', 'keyed'),
      breaks('002-owner-token-failed', 'slow-lock-holder'),
    ],
  },
  {
    article: '002',
    says: 'If a day is too short a window, older keys move into another store by night.',
    verdict: 'true, assuming',
    because:
      'the job reaches each key before its day ends; it was played with copies of up to 25 hours, and with no fault beside them',
    evidence: [holds('002-owner-token-aged', 'only-expiry'), breaks('002-owner-token-nack-on-skip', 'only-expiry')],
  },
  {
    article: '002',
    says: 'The logic is executed effectively once.',
    verdict: 'refuted',
    because: 'a crash after the effect is enough',
    evidence: [breaks('002-owner-token-nack-on-skip', 'only-crashes')],
  },
  {
    article: '002',
    says: 'An effect whose lock was lost is made good by compensation.',
    verdict: 'true, assuming',
    because:
      'the process lives, has its receipt, and the sink answers when it cancels; it dies, or gets no answer, as with any request, and then the effect stays. A layer whose next attempt cancels all earlier ones before it performs needs none of that',
    evidence: [
      holds('002-owner-token-compensates', 'only-pauses', 'cancellable'),
      breaks('002-owner-token-compensates', 'only-crashes', 'cancellable'),
      breaks('002-owner-token-compensates', 'failed-compensation', 'cancellable'),
      holds('cancel-before-repeat', 'failed-compensation', 'cancellable'),
    ],
  },
  {
    article: '001, 002',
    says: 'The scripts work on a Redis Cluster.',
    verdict: 'true, assuming',
    because: 'each names one key; a failover of a shard loses what a failover behind Sentinels loses',
    evidence: [
      holds('001-lua-server-time', 'frontier/cluster/stalled', 'keyed'),
      breaks('002-owner-token-nack-on-skip', 'cluster-failover'),
    ],
  },
  {
    article: '002',
    says: 'Below a millisecond, 100,000 operations a second.',
    verdict: 'not judged',
    because:
      'they depend on the machine. On one with two busy cores the acquire script took 0.04 ms at the median, and 1.1 ms with 64 at once ([benchmarks](benchmarks.md#a-real-redis-by-itself))',
    evidence: [],
  },
  {
    article: '003',
    says: 'One SET with NX and EX checks and sets atomically, which GET followed by SET does not.',
    verdict: 'true',
    because: 'of two copies at once one gets the key',
    evidence: [holds('003-set-nx-in-progress', 'only-redeliveries')],
  },
  {
    article: '003',
    says: 'The lock must outlast the processing.',
    verdict: 'true',
    because: 'a pause of more than 5 seconds is enough to break it',
    evidence: [breaks('003-set-nx-in-progress', 'only-pauses')],
  },
  {
    article: '003',
    says: 'A failover can lose IN_PROGRESS, and let a duplicate through.',
    verdict: 'true',
    because: 'with Sentinels',
    evidence: [breaks('003-set-nx-in-progress', 'only-failovers')],
  },
  {
    article: '003',
    says: 'Absolute guarantees need a Redis Cluster or Sentinels.',
    verdict: 'refuted',
    because:
      "one server with AOF always has them, with a layer that asks again before the effect and never starts over after a crash. Sentinels alone do not give them: the article's code breaks by what a failover loses ([configurations](configurations.md))",
    evidence: [
      holds('reference', 'frontier/one-server-aof-always/killed-and-back'),
      holds('reference', 'frontier/one-server-aof-always/consumers-crash'),
      breaks('003-set-nx-in-progress', 'only-failovers'),
    ],
  },
  {
    article: '003',
    says: 'A result kept for 48 hours covers redelivery.',
    verdict: 'true, assuming',
    because:
      "no copy comes later than that (it was played with copies of up to 25 hours). The article's code keeps it for 24",
    evidence: [
      holds('003-set-nx-in-progress-48-hours', 'only-expiry'),
      breaks('003-set-nx-in-progress', 'only-expiry'),
    ],
  },
  {
    article: '003',
    says: 'The record and the work in one transaction of PostgreSQL are the most robust of the three strategies.',
    verdict: 'true, assuming',
    because:
      'the work is rows of that transaction, commits are durable before they are answered, and no key comes with another payload; work that is a request is repeated. The code as printed never performs an effect: after its own INSERT it finds its row in progress, and raises. The adapter takes a row that its transaction inserted for reserved',
    evidence: [
      holds('003-postgres-skip-locked', 'only-crashes', 'transactional'),
      breaks('003-postgres-skip-locked', 'only-crashes'),
      breaks('003-postgres-skip-locked', 'postgres-lost-commits', 'transactional'),
      holds('record-in-the-effects-transaction', 'postgres-lost-commits', 'transactional'),
    ],
  },
  {
    article: '003',
    says: 'With SKIP LOCKED a copy does not wait, and can check the status at once.',
    verdict: 'refuted',
    because:
      "the copy's INSERT waits for the first transaction to commit. If two copies waited, SKIP LOCKED of the one passes over the row that the other one holds, and the key counts as in progress though it is completed",
    evidence: [
      tested(
        'test/implementations/articles-on-postgres.server.test.ts',
        'lets a second one wait for the first, for all its SKIP LOCKED',
        'on a real PostgreSQL the copy answers after the first has committed',
      ),
      tested(
        'test/implementations/articles-on-postgres.server.test.ts',
        'answers in progress for a completed key while another copy looks at it',
        'on a real PostgreSQL a copy is refused a result that is there',
      ),
    ],
  },
  {
    article: '003',
    says: 'A worker that crashes leaves a row in progress, which a job must delete.',
    verdict: 'refuted',
    because:
      'its code commits the row together with its result, so a crash leaves no row. The job deletes old results, and a copy that comes later is performed again',
    evidence: [
      holds('003-postgres-clean-up', 'only-crashes', 'transactional'),
      breaks('003-postgres-clean-up', 'postgres-late-copies', 'transactional'),
    ],
  },
  {
    article: '003',
    says: 'A conditional put reserves a key atomically, and the simple take-over of an expired lock risks several executions.',
    verdict: 'true',
    because: 'of copies at once one gets through; a pause of more than 5 seconds is enough for two',
    evidence: [holds('003-dynamodb', 'only-redeliveries'), breaks('003-dynamodb', 'only-pauses')],
  },
  {
    article: '003',
    says: 'The read after a failed conditional put must be consistent.',
    verdict: 'true',
    because: 'an eventually consistent read may answer an expired lock of a completed key, and the effect is repeated',
    evidence: [
      tested(
        'test/implementations/suggested.long.test.ts',
        'consistent read: %s repeats a done effect of 6 s in %i of 10 runs',
        'of 10 runs with an effect of 6 s and a copy half a second after it, the eventually consistent read repeats the effect in 2, and the consistent one in none',
      ),
    ],
  },
  {
    article: '003',
    says: 'An outbox publishes safely.',
    verdict: 'true, assuming',
    because: 'safely means at least once: no accepted message is lost, and the consumer deduplicates by key',
    evidence: [
      holds('003-outbox', 'only-crashes', 'transactional'),
      holds('003-outbox', 'only-crashes', 'keyed'),
      breaks('003-outbox', 'only-crashes'),
      holds('outbox-before-keyed-sink', 'postgres-lost-commits', 'keyed'),
    ],
  },
  {
    article: '004',
    says: 'The naive check lets two act.',
    verdict: 'true',
    because: 'two copies at once are enough',
    evidence: [breaks('004-naive', 'only-redeliveries')],
  },
  {
    article: '004',
    says: 'With the lock around check and act, the effect runs once.',
    verdict: 'true, assuming',
    because: 'nothing but copies happens, and no holder outlives the 10 seconds',
    evidence: [holds('004-lock-and-record', 'only-redeliveries'), breaks('004-lock-and-record', 'only-pauses')],
  },
  {
    article: '004',
    says: 'A crash before the result is written is not handled by it.',
    verdict: 'true',
    because: 'the effect is repeated',
    evidence: [breaks('004-lock-and-record', 'only-crashes')],
  },
  {
    article: '004',
    says: 'Two phases handle crashes.',
    verdict: 'true, assuming',
    because: 'the sink answers a repeated key as the first; on any other sink the effect is repeated when STARTED ends',
    evidence: [holds('004-two-phase-lock', 'only-crashes', 'keyed'), breaks('004-two-phase-lock', 'only-crashes')],
  },
  {
    article: '004',
    says: 'The lock may be waited for.',
    verdict: 'true',
    because: 'it saves redeliveries, and changes nothing else',
    evidence: [
      holds('004-lock-and-record-wait', 'only-redeliveries'),
      breaks('004-lock-and-record-wait', 'only-pauses'),
    ],
  },
  {
    article: '004',
    says: 'A STARTED record that is old may be taken over.',
    verdict: 'true, assuming',
    because: 'the sink answers a repeated key as the first; old does not mean dead',
    evidence: [
      holds('004-two-phase-lock-take-over', 'only-pauses', 'keyed'),
      breaks('004-two-phase-lock-take-over', 'only-pauses'),
    ],
  },
  {
    article: '004',
    says: 'A FAILED record may be retried.',
    verdict: 'true, assuming',
    because: errorSaysNothing,
    evidence: [
      tested(
        'test/implementations/suggested.long.test.ts',
        'FAILED: %s performs %d effects after an effect that failed',
        'after an error before the effect, the next attempt performs it once',
      ),
      holds('004-two-phase-lock-retry-failed', 'only-crashes', 'keyed'),
      breaks('004-two-phase-lock-retry-failed', 'slow-lock-holder'),
    ],
  },
  {
    article: '004',
    says: 'With the whole response stored, a duplicate request gets the same status and headers.',
    verdict: 'true',
    because: 'with copies and rebalances alone; it stands on the same lock',
    evidence: [holds('004-stored-response', 'only-redeliveries'), breaks('004-stored-response', 'only-crashes')],
  },
  {
    article: '004',
    says: 'AOF with everysec or always minimizes data loss.',
    verdict: 'true, assuming',
    because:
      "it is always, and no replica takes the server's place. Everysec forgets a second, and its effects are performed again. With always, the article's own two layers break in other ways ([configurations](configurations.md)); the run that holds is another layer's on the same Redis",
    evidence: [
      breaks('004-two-phase-lock', 'frontier/one-server-aof-everysec/killed-and-back'),
      holds('001-lua-server-time', 'frontier/one-server-aof-always/killed-and-back'),
    ],
  },
  {
    article: '004',
    says: 'PostgreSQL with SELECT … FOR UPDATE gives strong transactional guarantees.',
    verdict: 'true, assuming',
    because:
      'the effect is in the transaction, and synchronous_commit is on; without it, a crash of the server undoes commits that were answered',
    evidence: [
      holds('record-in-the-effects-transaction', 'postgres-lost-commits', 'transactional'),
      breaks('003-postgres-skip-locked', 'postgres-lost-commits', 'transactional'),
      breaks('004-two-phase-postgres', 'postgres-lost-commits'),
    ],
  },
  {
    article: '004',
    says: 'Its two phases can be had on PostgreSQL with FOR UPDATE, and on DynamoDB with conditional writes.',
    verdict: 'true',
    because: 'they hold and break as on Redis: the effect is between the phases, and no store takes it back',
    evidence: [
      holds('004-two-phase-postgres', 'only-redeliveries'),
      holds('004-two-phase-dynamodb', 'only-redeliveries'),
      holds('004-two-phase-postgres', 'only-crashes', 'keyed'),
      holds('004-two-phase-dynamodb', 'only-crashes', 'keyed'),
      breaks('004-two-phase-postgres', 'only-crashes'),
      breaks('004-two-phase-dynamodb', 'only-crashes'),
    ],
  },
  {
    article: '004',
    says: 'The overhead is two round trips for a new request, and one for a duplicate.',
    verdict: 'refuted',
    because:
      'its two-phase pattern takes 8 round trips for a new request and 3 for a duplicate; its first pattern takes 4 and 3 ([prices](instead.md))',
    evidence: [
      tested(
        'test/tools/round-trips.test.ts',
        'counts 8 and 3 round trips for the two phases of article 004, and 4 and 3 for its lock',
        'the simulator counts them when nothing goes wrong',
      ),
    ],
  },
  {
    article: '004',
    says: 'DynamoDB and Cassandra are durable alternatives.',
    verdict: 'not judged',
    because: 'no scenario is about what DynamoDB might lose; Cassandra is not here',
    evidence: [],
  },
]
