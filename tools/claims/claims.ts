/**
 * The claims of the five articles in the project's words, and the evidence for each claim: the
 * content of docs/findings/claims.md.
 */
import type { SinkKind } from '../../src/contract/api/sink.ts'

/**
 * A layer in a scenario; the sink is plain by default. If `breaks` is true the layer must break,
 * otherwise it must hold.
 */
export interface Played {
  readonly layer: string
  readonly scenario: string
  readonly sink?: SinkKind
  readonly breaks: boolean
}

/** A fact that a campaign's verdict does not show, and the test that shows it. */
export interface Tested {
  readonly test: string
  readonly named: string
  readonly shows: string
}

export type Evidence = Played | Tested

export interface Claim {
  readonly article: string
  readonly says: string
  /**
   * `refuted`: a run or a test contradicts the article. `definition`: no run and no test could
   * contradict the article. `not judged`: a premise is missing.
   */
  readonly verdict: 'true' | 'true, assuming' | 'refuted' | 'definition' | 'not judged'
  /** The assumption, the reason, or a remark on the verdict. */
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

/** The reason for three claims about a failed effect that frees the key. */
const errorSaysNothing =
  'an error means that the effect did not happen, or the sink deduplicates by key; a time-out does not prove that'

const doubtfulFailure = tested(
  'test/implementations/suggested.long.test.ts',
  'FAILED after a lost answer of the sink: %s repeats the effect soon, unless the sink is keyed',
  'after an effect whose answer was lost, the next attempt repeats the effect before a plain sink, and not before a keyed one',
)

const crashOrPause = 'the sink deduplicates by key; on any other sink a crash or a pause is enough for two effects'

const rowsOfOneDatabase =
  'the work is rows of that database, commits are durable before they are answered, and no key comes with another payload. We extended the relay to perform work as requests to another system. It performs at least once, so the sink must deduplicate by key'

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
    says: 'An expiry inside the record handles a crash: the next consumer takes over.',
    verdict: 'true, assuming',
    because:
      'the sink deduplicates by key; on any other sink the effect is repeated. As printed, the key expires with its lock, so the next consumer finds no record instead of a stale one',
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
    says: 'The script is robust.',
    verdict: 'true, assuming',
    because:
      'the sink deduplicates by key. On any other sink a pause is enough for two effects, or a client whose clock is off by as much as the lock: the script compares the clocks of two clients, and no step checks the lock again before the effect',
    evidence: [
      holds('000-lua-acquire', 'only-crashes', 'keyed'),
      holds('000-lua-acquire', 'only-pauses', 'keyed'),
      holds('000-lua-acquire', 'only-consumer-clocks', 'keyed'),
      breaks('000-lua-acquire', 'only-pauses'),
      breaks('000-lua-acquire', 'only-consumer-clocks'),
    ],
  },
  {
    article: '000',
    says: 'The lock must be longer than the longest processing; 5 minutes are a safe start for a P99 of 30 seconds.',
    verdict: 'true, assuming',
    because:
      'no holder pauses for longer than the lock. The lock must be longer than processing in any case. 5 minutes do not outlast a suspended machine, and a P99 does not include one',
    evidence: [holds('000-lua-acquire', 'only-redeliveries'), breaks('000-lua-acquire', 'only-pauses')],
  },
  {
    article: '000',
    says: 'A duplicate call of the decorated function returns the stored result.',
    verdict: 'true',
    because: 'while the record lives. The printed example lacks `import time`',
    evidence: [holds('000-decorator', 'only-redeliveries')],
  },
  {
    article: '000',
    says: 'FAILED is an operation that failed terminally; a more advanced layer could write it when the effect raises.',
    verdict: 'definition',
    because:
      'no code of the article writes FAILED. Its script takes a FAILED key again at once, so a layer that writes FAILED repeats an effect that only seemed to fail',
    evidence: [
      tested(
        'test/implementations/suggested.long.test.ts',
        'FAILED frees the key: under %s a message is performed %d times soon after its effect failed',
        'after an error before the effect, the next attempt performs it once, and soon',
      ),
      doubtfulFailure,
      breaks('000-lua-acquire-failed', 'slow-lock-holder'),
    ],
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
    says: 'With SET NX, only one consumer gets the lock.',
    verdict: 'true',
    because: 'with copies and rebalances alone',
    evidence: [holds('001-set-nx-delete', 'only-redeliveries')],
  },
  {
    article: '001',
    says: 'A crash stalls the message for an hour.',
    verdict: 'refuted',
    because:
      'the article understates its second pattern: a consumer that finds the lock acknowledges, so the message is lost at once. A comment of the code warns that a real system would look at the value',
    evidence: [breaks('001-set-nx-delete', 'only-crashes')],
  },
  {
    article: '001',
    says: 'A transaction of MULTI and EXEC is atomic, and cannot decide by what it reads.',
    verdict: 'true',
    because:
      'without WATCH: its SET overwrites the record that its GET found, so a copy of a completed key finds the key held',
    evidence: [breaks('001-multi-exec', 'only-redeliveries')],
  },
  {
    article: '001',
    says: 'A message whose key is held is NACKed for a short delay.',
    verdict: 'true',
    because:
      'the delay saves redeliveries, and changes nothing else: with and without it, a pause is enough for two effects',
    evidence: [
      tested(
        'test/implementations/suggested.long.test.ts',
        '%s: a copy is delivered %i times within a second of a held key',
        'within a second of a held key, a copy is delivered once with the delay, and twice without it',
      ),
      holds('001-lua-server-time-delayed', 'only-redeliveries'),
      breaks('001-lua-server-time-delayed', 'only-pauses'),
    ],
  },
  {
    article: '001',
    says: "The server's time makes skew between consumers harmless.",
    verdict: 'true',
    because: "this is about consumers' clocks. A step of Redis's clock breaks it",
    evidence: [holds('001-lua-server-time', 'only-consumer-clocks'), breaks('001-lua-server-time', 'only-redis-clock')],
  },
  {
    article: '001',
    says: 'Work whose COMPLETED was not written is repeated.',
    verdict: 'true',
    because:
      'when the lock ends, if the process has died. If the SET fails, the code deletes the key, and the next delivery repeats the work at once',
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
    says: 'Its script and its states are a base for exactly-once semantics at the application.',
    verdict: 'true, assuming',
    because: crashOrPause,
    evidence: [holds('001-lua-server-time', 'crash-mid-logic', 'keyed'), breaks('001-lua-server-time', 'only-crashes')],
  },
  {
    article: '001',
    says: 'Each message costs at least one round trip to Redis.',
    verdict: 'true',
    because: 'a new message takes two, and a copy of a completed one takes one ([prices](instead.md))',
    evidence: [
      tested(
        'test/tools/round-trips.test.ts',
        'counts 2 round trips for a new message and 1 for a copy, for the scripts of articles 001 and 002',
        'the simulator counts them when nothing goes wrong',
      ),
    ],
  },
  {
    article: '001',
    says: 'The pattern is correct for the vast majority of uses.',
    verdict: 'true, assuming',
    because: crashOrPause,
    evidence: [
      holds('001-lua-server-time', 'only-crashes', 'keyed'),
      holds('001-lua-server-time', 'only-pauses', 'keyed'),
      breaks('001-lua-server-time', 'only-pauses'),
    ],
  },
  {
    article: '001',
    says: 'A transactional outbox is the remedy: the database is the truth, and a relay tells Redis.',
    verdict: 'true, assuming',
    because: rowsOfOneDatabase,
    evidence: [
      holds('001-outbox', 'only-crashes', 'transactional'),
      breaks('001-outbox', 'postgres-lost-commits', 'transactional'),
      holds('001-outbox', 'only-crashes', 'keyed'),
      breaks('001-outbox', 'only-crashes'),
    ],
  },
  {
    article: '001',
    says: 'A million keys of at most 250 bytes take 250 MB.',
    verdict: 'refuted',
    because:
      "a million records of its consumer take 321 MB on a real Redis ([benchmarks](benchmarks.md#a-real-redis-by-itself)). The article's 150 to 250 bytes of JSON are about right: the value has 145, and 203 with its key. Tables, objects and the allocator take the rest",
    evidence: [
      tested(
        'test/implementations/record-size.server.test.ts',
        'takes more than 250 bytes in a real Redis',
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
    says: 'check_and_set lets one of two concurrent consumers through.',
    verdict: 'true',
    because: 'with copies and rebalances alone',
    evidence: [holds('002-check-and-set-nack-on-skip', 'only-redeliveries')],
  },
  {
    article: '002',
    says: 'A holder that only hung acts after its lock ends, beside its successor.',
    verdict: 'true',
    because: 'a pause is enough',
    evidence: [breaks('002-check-and-set-nack-on-skip', 'only-pauses')],
  },
  {
    article: '002',
    says: 'The guarded write is the last line of defense against duplicate processing.',
    verdict: 'true, assuming',
    because:
      'an attempt that has lost its lock cancels its effect, as the article asks. The write comes after the effect, and only protects the record of another attempt',
    evidence: [
      holds('002-owner-token-compensates', 'only-pauses', 'cancellable'),
      breaks('002-owner-token-nack-on-skip', 'only-pauses'),
    ],
  },
  {
    article: '002',
    says: 'WATCH, MULTI and EXEC simulate the release script.',
    verdict: 'true, assuming',
    because:
      'no connection is lost between WATCH and EXEC. This takes five round trips, and the scripts take two ([prices](instead.md)). The article also says that scripts take fewer',
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
      'the subset differs for two orders, and is the same for two copies of an order. Two orders with one payload count as one order (a test plays them)',
    evidence: [holds('002-derived-key', 'only-redeliveries')],
  },
  {
    article: '002',
    says: 'A heartbeat might make the check of stale locks more robust.',
    verdict: 'true',
    because:
      'a short lock outlives a long effect only with a heartbeat. A heartbeat is not sufficient: a paused holder sends no heartbeat, and continues later',
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
    because: `${errorSaysNothing}. The article's own list has FAILED for errors that are not transient`,
    evidence: [
      holds('002-owner-token-failed', 'slow-lock-holder', 'keyed'),
      breaks('002-owner-token-failed', 'slow-lock-holder'),
    ],
  },
  {
    article: '002',
    says: 'If a day is too short a window, older keys move into another store by night.',
    verdict: 'true, assuming',
    because: 'the job reaches each key before its day ends. Copies of up to 25 hours were played, without other faults',
    evidence: [holds('002-owner-token-aged', 'only-expiry'), breaks('002-owner-token-nack-on-skip', 'only-expiry')],
  },
  {
    article: '002',
    says: 'Each message costs at least two round trips to Redis.',
    verdict: 'true',
    because: 'a new message takes two. A copy of a completed one takes one, which is fewer than the article says',
    evidence: [
      tested(
        'test/tools/round-trips.test.ts',
        'counts 2 round trips for a new message and 1 for a copy, for the scripts of articles 001 and 002',
        'the simulator counts them when nothing goes wrong',
      ),
    ],
  },
  {
    article: '002',
    says: 'The logic is executed effectively once.',
    verdict: 'true, assuming',
    because: crashOrPause,
    evidence: [
      holds('002-owner-token-nack-on-skip', 'only-crashes', 'keyed'),
      holds('002-owner-token-nack-on-skip', 'only-pauses', 'keyed'),
      breaks('002-owner-token-nack-on-skip', 'only-crashes'),
    ],
  },
  {
    article: '002',
    says: 'Compensation undoes an effect whose lock was lost.',
    verdict: 'true, assuming',
    because:
      'the process lives, has its receipt, and reaches the sink to cancel. If the process dies, the effect stays. A layer does not need this if its next attempt cancels all earlier ones before it performs',
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
    verdict: 'true',
    because:
      'each script names one key, so it stays in one hash slot. Before a sink that deduplicates by key, the scripts hold while a primary is paused. A failover of a shard loses the same writes as a failover with Sentinels',
    evidence: [
      holds('001-lua-server-time', 'frontier/cluster/stalled', 'keyed'),
      holds('002-owner-token-nack-on-skip', 'frontier/cluster/stalled', 'keyed'),
      breaks('002-owner-token-nack-on-skip', 'cluster-failover'),
    ],
  },
  {
    article: '002',
    says: 'Below a millisecond, 100,000 operations a second.',
    verdict: 'not judged',
    because:
      'the figures depend on the machine. On two idle cores the acquire script takes 0.11 ms at the median, and 0.65 ms with 64 at once ([benchmarks](benchmarks.md#a-real-redis-by-itself))',
    evidence: [],
  },
  {
    article: '003',
    says: 'One SET with NX and EX checks and sets atomically, which GET followed by SET does not.',
    verdict: 'true',
    because: 'only one of two concurrent copies gets the key',
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
    because: 'this is with Sentinels. A failover can lose COMPLETED too, as in the run below',
    evidence: [
      tested(
        'test/implementations/suggested.long.test.ts',
        'failover: %s IN_PROGRESS was replicated, 003-set-nx-in-progress performs %i times',
        'a failover before IN_PROGRESS was replicated lets a copy perform beside the first attempt, and a later failover does not',
      ),
      breaks('003-set-nx-in-progress', 'only-failovers'),
    ],
  },
  {
    article: '003',
    says: 'Absolute guarantees need a Redis Cluster or Sentinels.',
    verdict: 'refuted',
    because:
      'one server with AOF always gives them, if the layer checks its lock again before the effect and never starts over after a crash. Sentinels alone do not give them, as the article also says: its code breaks when a failover loses a write ([configurations](configurations.md))',
    evidence: [
      holds('reference', 'frontier/one-server-aof-always/killed-and-back'),
      holds('reference', 'frontier/one-server-aof-always/consumers-crash'),
      breaks('003-set-nx-in-progress', 'only-failovers'),
    ],
  },
  {
    article: '003',
    says: 'The expiry of the result is the window, and payments may need 48 hours or more.',
    verdict: 'true',
    because:
      'with 48 hours a copy on the second day is answered. With the 24 hours of the printed code it is performed (copies of up to 25 hours were played)',
    evidence: [
      holds('003-set-nx-in-progress-48-hours', 'only-expiry'),
      breaks('003-set-nx-in-progress', 'only-expiry'),
    ],
  },
  {
    article: '003',
    says: 'To keep the record atomic with core business data, one transaction of PostgreSQL is the most robust of the three strategies.',
    verdict: 'true, assuming',
    because:
      'the work is rows of that transaction, commits are durable before they are answered, and no key comes with another payload. Work that is a request is repeated. The printed code never performs an effect: after its INSERT it finds its row in progress, and raises. The adapter treats a row that its transaction inserted as reserved',
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
      "the copy's INSERT waits until the first transaction commits. If two copies waited, the SKIP LOCKED of one skips the row that the other one holds, and the key counts as in progress although it is completed",
    evidence: [
      tested(
        'test/implementations/articles-on-postgres.server.test.ts',
        'makes a second attempt wait for the first, despite SKIP LOCKED',
        'on a real PostgreSQL the copy answers after the first has committed',
      ),
      tested(
        'test/implementations/articles-on-postgres.server.test.ts',
        'answers in progress for a completed key while another copy reads it',
        'on a real PostgreSQL a copy does not get a stored result',
      ),
    ],
  },
  {
    article: '003',
    says: 'A worker that crashes leaves a row in progress, which a job must delete.',
    verdict: 'refuted',
    because: 'its code commits the row together with its result, so a crash leaves no row',
    evidence: [
      tested(
        'test/implementations/suggested.long.test.ts',
        'clean-up: a crashed consumer leaves no row in progress, so that the next one performs at once',
        'after a crash the next consumer performs at once, although the lock of a row would last a minute',
      ),
    ],
  },
  {
    article: '003',
    says: 'A conditional put reserves a key atomically, and the simple take-over of an expired lock risks several executions.',
    verdict: 'true',
    because:
      'only one of several concurrent copies gets through. A pause of more than 5 seconds is enough for two effects',
    evidence: [holds('003-dynamodb', 'only-redeliveries'), breaks('003-dynamodb', 'only-pauses')],
  },
  {
    article: '003',
    says: 'The read after a failed conditional put must be consistent.',
    verdict: 'true',
    because:
      'an eventually consistent read may return an expired lock of a completed key, and the effect is repeated. The article gives another reason, which cannot cause a repeat: if the read misses the item, the code raises',
    evidence: [
      tested(
        'test/implementations/suggested.long.test.ts',
        'consistent read: %s repeats a done effect of 6 s in %i of 10 runs',
        'with an effect of 6 s and a copy half a second after it, the eventually consistent read repeats the effect in 2 of 10 runs, and the consistent read in none',
      ),
    ],
  },
  {
    article: '003',
    says: 'An outbox keeps the result and the status together, and a second process updates DynamoDB from it.',
    verdict: 'true, assuming',
    because: rowsOfOneDatabase,
    evidence: [
      holds('003-outbox', 'only-crashes', 'transactional'),
      breaks('003-outbox', 'postgres-lost-commits', 'transactional'),
      holds('003-outbox', 'only-crashes', 'keyed'),
      breaks('003-outbox', 'only-crashes'),
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
    verdict: 'true',
    because:
      'with copies and rebalances alone. A holder that pauses for longer than 10 seconds is enough for two effects',
    evidence: [holds('004-lock-and-record', 'only-redeliveries'), breaks('004-lock-and-record', 'only-pauses')],
  },
  {
    article: '004',
    says: 'This lock does not handle a crash before the result is written.',
    verdict: 'true',
    because: 'the effect is repeated',
    evidence: [breaks('004-lock-and-record', 'only-crashes')],
  },
  {
    article: '004',
    says: 'Two phases handle crashes.',
    verdict: 'true, assuming',
    because: 'the sink deduplicates by key; on any other sink the effect is repeated when STARTED ends',
    evidence: [holds('004-two-phase-lock', 'only-crashes', 'keyed'), breaks('004-two-phase-lock', 'only-crashes')],
  },
  {
    article: '004',
    says: 'A consumer may wait for the lock.',
    verdict: 'true',
    because:
      'waiting saves redeliveries, and changes nothing else: with and without it, a pause is enough for two effects',
    evidence: [
      tested(
        'test/implementations/suggested.long.test.ts',
        'waiting for the lock: a simultaneous copy is answered by its first delivery',
        'a concurrent copy gets the answer of its first delivery',
      ),
      holds('004-lock-and-record-wait', 'only-redeliveries'),
      breaks('004-lock-and-record-wait', 'only-pauses'),
    ],
  },
  {
    article: '004',
    says: 'An old STARTED record may be taken over.',
    verdict: 'true, assuming',
    because: 'the sink deduplicates by key. An old record does not mean a dead holder',
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
        'FAILED: %s performs %d effects after a failed effect',
        'after an error before the effect, the next attempt performs it once',
      ),
      doubtfulFailure,
      holds('004-two-phase-lock-retry-failed', 'slow-lock-holder', 'keyed'),
      breaks('004-two-phase-lock-retry-failed', 'slow-lock-holder'),
    ],
  },
  {
    article: '004',
    says: 'With the whole response stored, a duplicate request gets the same status and headers.',
    verdict: 'true',
    because: 'with copies and rebalances alone. The layer uses the same lock',
    evidence: [holds('004-stored-response', 'only-redeliveries'), breaks('004-stored-response', 'only-crashes')],
  },
  {
    article: '004',
    says: 'Duplicates are recognized for as long as the final record lives.',
    verdict: 'true',
    because: 'a copy that comes after its 24 hours is performed again',
    evidence: [holds('004-two-phase-lock', 'only-redeliveries'), breaks('004-two-phase-lock', 'only-expiry')],
  },
  {
    article: '004',
    says: 'AOF with everysec or always minimizes data loss.',
    verdict: 'true',
    because:
      "a server that is killed and restarted loses all writes since its last snapshot, at most a second with everysec, and nothing with always. Everysec is not sufficient: the effects of that second are performed again. With always, the article's two layers break in other ways ([configurations](configurations.md)). The run that holds is of another layer on the same Redis",
    evidence: [
      tested(
        'test/sim/world/redis-disk.test.ts',
        'has its last snapshot',
        'a killed server with snapshots has its last snapshot, and no later write',
      ),
      breaks('004-two-phase-lock', 'frontier/one-server-aof-everysec/killed-and-back'),
      holds('001-lua-server-time', 'frontier/one-server-aof-always/killed-and-back'),
    ],
  },
  {
    article: '004',
    says: 'PostgreSQL with SELECT … FOR UPDATE gives strong transactional guarantees.',
    verdict: 'true, assuming',
    because:
      'the effect is in the transaction, and synchronous_commit is on. Without synchronous_commit, a crash of the server undoes answered commits. The layer that holds through such a crash sets it, and takes its row by INSERT … ON CONFLICT, without FOR UPDATE',
    evidence: [
      holds('003-postgres-skip-locked', 'only-crashes', 'transactional'),
      holds('record-in-the-effects-transaction', 'postgres-lost-commits', 'transactional'),
      breaks('003-postgres-skip-locked', 'postgres-lost-commits', 'transactional'),
      breaks('004-two-phase-postgres', 'postgres-lost-commits'),
    ],
  },
  {
    article: '004',
    says: 'The two phases also work on PostgreSQL with FOR UPDATE, and on DynamoDB with conditional writes.',
    verdict: 'true',
    because: 'they hold and break as on Redis: the effect is between the phases, and no store can undo it',
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
      'its two-phase pattern takes 8 round trips for a new request and 3 for a duplicate. Its lock and record takes 4 and 3. Only its naive first pattern takes two and one ([prices](instead.md))',
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
    because: 'no scenario is about a loss of data in DynamoDB, and Cassandra is not simulated',
    evidence: [],
  },
]
