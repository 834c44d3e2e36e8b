/**
 * The text of each section of docs/findings/instead.md to which findings link: the mistake, the
 * remedy, and the twins that show it.
 */

export interface KindText {
  /** A title from `src/contract/results/remedy-page.ts`. */
  readonly title: string
  readonly text: string
  /** Ids of adapters. */
  readonly shownBy: readonly string[]
  readonly more: readonly (readonly [words: string, link: string])[]
}

const effects = ['at most one effect per key', '../reference/guarantees.md#at-most-one-effect-per-key'] as const
const doubt = ['when something is in doubt', '../guide/once.md#when-something-is-in-doubt'] as const
const outcomes = ['what to do with an outcome', '../guide/once.md#what-to-do-with-an-outcome'] as const
const payloads = ['what a message may be', '../reference/guarantees.md#what-a-message-and-a-result-may-be'] as const

export const kindTexts: readonly KindText[] = [
  {
    title: 'Two attempts at once',
    text: 'Both asked, and both got the key. Read, decide and write in one script, or with one `SET … NX`, by the clock of Redis only. Read from the server that was written to, and from DynamoDB with `ConsistentRead`. If a deletion, an expiry or a clock freed the key too early, change that.',
    shownBy: ['repaired-set-nx-marker', 'repaired-lua-acquire'],
    more: [effects],
  },
  {
    title: 'A holder that came back',
    text: 'A lock that expires does not stop its holder. Right before the effect, write BEGUN by a script that answers 0 if the lock was lost, and never take BEGUN over. A check that writes nothing is not enough: the lock may expire after its answer. Or give the sink the key or a fence.',
    shownBy: ['repaired-lua-acquire', 'repaired-owner-token', 'repaired-in-progress'],
    more: [effects],
  },
  {
    title: 'A crash in between',
    text: 'The fate of a request whose sender died is unknown. Write the begin before the effect, and treat a begin without a result as in doubt: ask the sink, send the same key again, or dead-letter the message. Never start over because a time has passed. If the effect can be a row next to the record, one transaction leaves no doubt.',
    shownBy: [
      'repaired-set-nx-marker',
      'repaired-lua-acquire',
      'repaired-in-progress',
      'record-in-the-effects-transaction',
    ],
    more: [doubt],
  },
  {
    title: 'An error is not a refusal',
    text: 'A timeout means that no answer came, not that nothing happened. Release the key only if the sink has refused. After any other error, keep the record, and let no expiry release the key: write BEGUN before the effect, then ask the sink or dead-letter the message.',
    shownBy: ['repaired-set-nx-marker', 'repaired-lua-acquire', 'repaired-in-progress'],
    more: [doubt],
  },
  {
    title: 'A record that was gone',
    text: 'A missing record proves nothing. Keep records for longer than copies may arrive, and dead-letter a message that is older than the retention. A produced-at time in the future makes an old message look young: dead-letter a message whose produced-at time is ahead of the clock of Redis. That does not help against failovers, restarts, evictions and FLUSHALL: wait for the replicas and detect the loss, as `onceproof/once` does, or give the sink the key or a fence.',
    shownBy: ['repaired-in-progress', 'repaired-owner-token', 'reference'],
    more: [effects, ['replicas', '../reference/guarantees.md#replicas'], ['after a failover', 'after-a-failover.md']],
  },
  {
    title: 'Done without an effect',
    text: 'A marker proves that an attempt began, not that it is done. Do not acknowledge because of it: have the message redelivered, and dead-letter it if no attempt finishes for long.',
    shownBy: ['repaired-set-nx-marker', 'repaired-lua-acquire'],
    more: [outcomes],
  },
  {
    title: 'A commit that was lost',
    text: 'A server with `synchronous_commit` off answers COMMIT before the commit is on its disk, and an asynchronous standby gets it later still. Switch it on for the transaction, and use a synchronous standby if another server may take over; or have the producer send missing messages again.',
    shownBy: ['record-in-the-effects-transaction'],
    more: [],
  },
  {
    title: 'Cancelled after all',
    text: 'Cancel only effects that no attempt has answered for: record every attempt before it sends, let only the newest one decide, and cancel all earlier ones before you send. A compensation is a request like any other, so wait for its answer.',
    shownBy: ['cancel-before-repeat'],
    more: [['a layer that cancels, and why it holds', 'correct-layers.md#why']],
  },
  {
    title: 'Refused too early',
    text: 'Only an answer of the sink is a refusal; other errors are not. While another request of the key may still arrive, it is not final either: have the message redelivered. Otherwise record the refusal under the key before you answer refused, and answer each copy from the record. If the key is released, the next copy performs.',
    shownBy: ['repaired-set-nx-marker', 'reference'],
    more: [doubt],
  },
  {
    title: 'Another result',
    text: 'Store the result of the effect together with COMPLETED, and answer every copy with it. Over HTTP, store status and headers too.',
    shownBy: ['repaired-set-nx-marker', 'repaired-in-progress'],
    more: [outcomes, ['how replies are compared', '../guide/http.md#how-replies-are-compared']],
  },
  {
    title: 'Another payload',
    text: 'Keep a hash of the payload in the record from the first attempt on, compare it in the script that takes the key, and dead-letter a message that differs.',
    shownBy: ['repaired-set-nx-marker', 'repaired-in-progress'],
    more: [payloads],
  },
  {
    title: 'A message that was given up',
    text: 'A lock that is held for longer than the broker goes on delivering loses the message. Let the lock end, or answer done, refused or dead-letter before the attempts run out. Record a refusal before you answer it, so that no copy performs.',
    shownBy: ['repaired-lua-acquire'],
    more: [['giving up', '../guide/once.md#giving-up']],
  },
  {
    title: 'Accepted and forgotten',
    text: 'An accepted message must be durable before the answer, and stay on record until the sink has answered. A relay marks a row as sent after the effect, in the transaction in which it has locked the row, never before: it then sends at least once, and the sink recognizes repeats by the key. A row whose relay died or stalled must become free again.',
    shownBy: ['outbox-before-keyed-sink'],
    more: [['layers on PostgreSQL', '../guide/postgresql.md#an-outbox-and-its-relay']],
  },
  {
    title: 'Delayed for too long',
    text: 'A lock should expire soon after its holder died. If nothing has been sent yet, take it over after a lease; if something may have been sent, dead-letter the message. A client that waits for a dead connection blocks every attempt: close a connection whose replies stop (ioredis: `socketTimeout`). A time limit for commands (`commandTimeout`) leaves it open, also with `keepAlive`, and later commands fail on it.',
    shownBy: ['repaired-lua-acquire', 'repaired-in-progress'],
    more: [['how a bound is declared', '../reference/adapter.md#promises-of-the-layer']],
  },
  {
    title: 'Dead-lettered without need',
    text: 'Dead-letter only a message in doubt. If nothing was sent, or the sink can be asked, go on.',
    shownBy: ['repaired-lua-acquire', 'repaired-in-progress'],
    more: [doubt],
  },
  {
    title: 'Keys that stay',
    text: 'Give every key an expiry in the command that writes it. Trim a key with members, or make each member a key.',
    shownBy: ['repaired-set-nx-marker'],
    more: [],
  },
]
