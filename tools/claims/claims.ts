/** What the five articles claim, in our words, and what shows that it is so, or is not. The text of docs/claims.md. */
import type { SinkKind } from '../../src/contract/api/sink.ts'

/** A layer of the catalogue under a scenario, on a plain sink unless told; `breaks`: it must, else it must not. */
export interface Evidence {
  readonly layer: string
  readonly scenario: string
  readonly sink?: SinkKind
  readonly breaks: boolean
}

export interface Claim {
  readonly article: string
  readonly says: string
  /** `not judged`: what would show it is not there, and `because` names it. */
  readonly verdict: 'true' | 'true, assuming' | 'refuted' | 'not judged'
  /** The assumption, the reason, or what is to be said beside it. */
  readonly because: string
  readonly evidence: readonly Evidence[]
}

const holds = (layer: string, scenario: string, sink: SinkKind = 'plain'): Evidence => {
  return { layer, scenario, sink, breaks: false }
}
const breaks = (layer: string, scenario: string, sink: SinkKind = 'plain'): Evidence => {
  return { layer, scenario, sink, breaks: true }
}

export const claims: readonly Claim[] = [
  {
    article: '000',
    says: 'Of two consumers that set a marker with NX, one gets through.',
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
    because: 'the sink answers a repeated key as the first; elsewhere the effect is repeated',
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
    because: 'it goes by the clocks of its clients, and asks nothing again before the effect',
    evidence: [breaks('000-lua-acquire', 'only-consumer-clocks'), breaks('000-lua-acquire', 'only-pauses')],
  },
  {
    article: '000',
    says: 'A lock longer than the longest processing is enough.',
    verdict: 'true, assuming',
    because: 'no process ever stands still for longer, and none crashes; 5 minutes are no bound of a suspended machine',
    evidence: [breaks('000-lua-acquire', 'only-pauses')],
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
    says: 'A more advanced layer writes a FAILED record when the effect raises.',
    verdict: 'refuted',
    because:
      'its own script takes a FAILED key at once, where the STARTED record had held it for 5 minutes; and an error does not say that nothing has happened',
    evidence: [breaks('000-lua-acquire-failed', 'slow-lock-holder')],
  },
  {
    article: '000',
    says: 'A record of 24 hours protects against duplicates.',
    verdict: 'true, assuming',
    because: 'no copy comes later',
    evidence: [breaks('000-set-nx-marker', 'only-expiry')],
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
    because: 'a consumer that finds the lock acknowledges, so that the message is lost at once',
    evidence: [breaks('001-set-nx-delete', 'only-crashes')],
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
    says: 'A message whose processing has failed several times is FAILED.',
    verdict: 'refuted',
    because:
      'no code of the article writes FAILED, and its script answers FAILED as it answers a held key: the message is NACKed until the broker gives it up, even where the sink has recovered',
    evidence: [breaks('001-failed-after-retries', 'poison-handler', 'keyed')],
  },
  {
    article: '001',
    says: 'Exactly once for the vast majority of uses.',
    verdict: 'true, assuming',
    because: 'the sink answers a repeated key as the first; before any other, a crash or a pause is enough',
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
      'the work is rows of that database, or its sink answers a repeated key as the first; commits are durable before they are answered, and no key comes with another payload. The relay performs at least once: work that is a request to somebody else is repeated',
    evidence: [
      holds('001-outbox', 'only-crashes', 'transactional'),
      holds('001-outbox', 'only-crashes', 'keyed'),
      breaks('001-outbox', 'only-crashes'),
      breaks('001-outbox', 'postgres-lost-commits', 'transactional'),
    ],
  },
  {
    article: '001',
    says: 'A million keys take 250 MB.',
    verdict: 'not judged',
    because: "the simulated Redis does not have a server's memory",
    evidence: [],
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
    says: 'Of two consumers at once, check_and_set lets one through.',
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
    says: 'The guarded write is the last line of defence against processing twice.',
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
    says: 'A heartbeat is a more robust check of stale locks.',
    verdict: 'refuted',
    because: 'a holder that stands still sends none, and goes on',
    evidence: [breaks('002-owner-token-heartbeat', 'only-pauses')],
  },
  {
    article: '002',
    says: 'Deleting as the owner after an error allows for a clean retry.',
    verdict: 'refuted',
    because: 'an error does not say that nothing has happened',
    evidence: [breaks('002-owner-token-delete-if-owner', 'slow-lock-holder')],
  },
  {
    article: '002',
    says: 'From FAILED, a key may be taken again.',
    verdict: 'true, assuming',
    because: 'an error says that nothing has happened, which a time-out does not',
    evidence: [breaks('002-owner-token-failed', 'slow-lock-holder')],
  },
  {
    article: '002',
    says: 'Where a day is too short a window, keys age by night into another store.',
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
      'the process lives, has its receipt, and the sink answers when it cancels; it dies, or gets no answer, as with any request, and then nobody makes it good. A layer whose next attempt cancels all earlier ones before it performs needs none of that',
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
    because: 'each names one key; but a failover of a shard loses what it loses elsewhere',
    evidence: [breaks('002-owner-token-nack-on-skip', 'cluster-failover')],
  },
  {
    article: '002',
    says: 'Below a millisecond, 100,000 operations a second.',
    verdict: 'not judged',
    because: 'virtual time says nothing of a real server; round trips are counted ([prices](instead.md))',
    evidence: [],
  },
  {
    article: '003',
    says: 'SET NX reserves without the race of GET and SET.',
    verdict: 'true',
    because: 'while an effect is shorter than the 5 seconds',
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
    says: 'Absolute guarantees need a Cluster or Sentinels.',
    verdict: 'refuted',
    because:
      'with Sentinels it breaks by what a failover loses; what holds waits for its replicas ([configurations](configurations.md))',
    evidence: [breaks('003-set-nx-in-progress', 'only-failovers'), holds('reference', 'only-failovers')],
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
    says: 'Record and work in one transaction of PostgreSQL: the most robust of the strategies.',
    verdict: 'true, assuming',
    because:
      'the work is rows of that transaction, commits are durable before they are answered, and no key comes with another payload; work that is a request is repeated',
    evidence: [
      holds('003-postgres-skip-locked', 'only-crashes', 'transactional'),
      breaks('003-postgres-skip-locked', 'only-crashes'),
      breaks('003-postgres-skip-locked', 'postgres-lost-commits', 'transactional'),
      holds('record-in-the-effects-transaction', 'postgres-lost-commits', 'transactional'),
    ],
  },
  {
    article: '003',
    says: 'A consumer that crashes leaves a row in progress, which a job must delete.',
    verdict: 'refuted',
    because:
      'its code commits the row together with its result, so that a crash leaves none. What the job does delete are old results, and a copy that comes later is performed',
    evidence: [
      holds('003-postgres-clean-up', 'only-crashes', 'transactional'),
      breaks('003-postgres-clean-up', 'postgres-late-copies', 'transactional'),
    ],
  },
  {
    article: '003',
    says: 'The conditional put of DynamoDB is atomic, and an expired lock is not taken over safely.',
    verdict: 'true',
    because: 'of copies at once one gets through; a pause of more than 5 seconds is enough for two',
    evidence: [holds('003-dynamodb', 'only-redeliveries'), breaks('003-dynamodb', 'only-pauses')],
  },
  {
    article: '003',
    says: 'An outbox publishes safely.',
    verdict: 'true, assuming',
    because:
      'safely is at least once: nothing that was accepted is lost, and what is published twice is for the consumer to deduplicate by key',
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
    because: 'the sink answers a repeated key as the first; elsewhere the effect is repeated when STARTED ends',
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
    because: 'the sink answers a repeated key as the first; old is not dead',
    evidence: [breaks('004-two-phase-lock-take-over', 'only-pauses')],
  },
  {
    article: '004',
    says: 'FAILED may be retried.',
    verdict: 'true, assuming',
    because: 'an error says that nothing has happened, which a time-out does not',
    evidence: [breaks('004-two-phase-lock-retry-failed', 'slow-lock-holder')],
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
    says: 'AOF with everysec or always minimises what is lost.',
    verdict: 'true, assuming',
    because:
      "it is always, and no replica takes the server's place. Everysec forgets a second, and what is in it is performed again. With always, the article's own two layers break in other ways ([configurations](configurations.md)); the run that holds is another layer's on the same Redis",
    evidence: [
      breaks('004-two-phase-lock', 'frontier/one-server-aof-everysec/killed-and-back'),
      holds('001-lua-server-time', 'frontier/one-server-aof-always/killed-and-back'),
    ],
  },
  {
    article: '004',
    says: 'PostgreSQL is a durable alternative.',
    verdict: 'true, assuming',
    because:
      'the transaction has synchronous_commit on; without it, a crash of the server takes back what was answered',
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
    says: 'DynamoDB and Cassandra are durable alternatives.',
    verdict: 'not judged',
    because: 'no scenario is about what DynamoDB might lose; Cassandra is not here',
    evidence: [],
  },
]
