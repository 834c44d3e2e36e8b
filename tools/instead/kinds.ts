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
    text: 'Both asked, and both were let through. Read, decide and write in one script, or with one `SET … NX`, and let it go by no time but that of Redis. A read that decides asks the server that was written to, and DynamoDB with `ConsistentRead`. Where a deletion, an expiry or a clock freed the key too early, that is what to change.',
    shownBy: ['repaired-set-nx-marker', 'repaired-lua-acquire'],
    more: [effects],
  },
  {
    title: 'A holder that came back',
    text: 'A lock that ends does not stop its holder. Right before the effect, write BEGUN by a script that answers 0 if the lock was lost, and let no attempt take BEGUN over: to ask without writing is not enough, because the lock may end after the answer. Or give the sink what tells the two apart: the key, or a fence.',
    shownBy: ['repaired-lua-acquire', 'repaired-owner-token', 'repaired-in-progress'],
    more: [effects],
  },
  {
    title: 'A crash in between',
    text: 'Nobody knows what became of a request whose sender died. Write the begin before the effect, and treat a begin without a result as in doubt: ask the sink, send the same key again, or dead-letter the message. Never start over because a time has passed. Where the effect can be a row beside the record, one transaction leaves no doubt.',
    shownBy: [
      'repaired-set-nx-marker',
      'repaired-lua-acquire',
      'repaired-in-progress',
      'record-in-the-effects-transaction',
    ],
    more: [doubt],
  },
  {
    title: 'An error that is no refusal',
    text: 'A timeout means that no answer came, not that nothing happened. Give the key back only if the sink has refused. After any other error, keep the record, and let no expiry free the key: write the begin before the effect, then ask the sink or dead-letter the message.',
    shownBy: ['repaired-set-nx-marker', 'repaired-lua-acquire', 'repaired-in-progress'],
    more: [doubt],
  },
  {
    title: 'A record that was gone',
    text: "No record is no proof. Keep records for longer than copies may come, and dead-letter a message that is older than the retention. A produced-at time in the future makes an old message look young: dead-letter a message whose produced-at time is ahead of Redis's clock by more than clocks differ. Against failovers, restarts, evictions and FLUSHALL an expiry does not help: wait for the replicas and notice the loss, as `onceproof/once` does, or give the sink the key or a fence.",
    shownBy: ['repaired-in-progress', 'repaired-owner-token', 'reference'],
    more: [effects, ['replicas', '../reference/guarantees.md#replicas'], ['after a failover', 'after-a-failover.md']],
  },
  {
    title: 'Done without an effect',
    text: 'A marker that is found says that somebody began, not that it is done. Do not acknowledge because of it: have the message delivered again, and dead-letter it when nobody has finished for long.',
    shownBy: ['repaired-set-nx-marker', 'repaired-lua-acquire'],
    more: [outcomes],
  },
  {
    title: 'A commit that was lost',
    text: 'A server with `synchronous_commit` off answers COMMIT before the commit is on its disk, and an asynchronous standby gets it later still. Switch it on for the transaction, and have a synchronous standby where another server takes over; or have the producer send again what it cannot find.',
    shownBy: ['record-in-the-effects-transaction'],
    more: [],
  },
  {
    title: 'Cancelled after all',
    text: 'Cancel what you alone know of, or what nobody has answered for: put every attempt on record before it sends, let only the newest one decide, and cancel all earlier ones before you send. A compensation is a request as any other, so wait for its answer.',
    shownBy: ['cancel-before-repeat'],
    more: [['a layer that cancels, and why it holds', 'correct-layers.md#why']],
  },
  {
    title: 'Refused too early',
    text: 'A refusal is an answer of the sink, and no error beside it is one. While another request of the key may still arrive, it is not final either: deliver again. If you answer refused, record that under the key first, and answer every copy from the record: after a key that is given back, the next copy performs.',
    shownBy: ['repaired-set-nx-marker', 'reference'],
    more: [doubt],
  },
  {
    title: 'Another result',
    text: 'Store what the effect gave together with COMPLETED, and answer every copy with it. Over HTTP, store status and headers too.',
    shownBy: ['repaired-set-nx-marker', 'repaired-in-progress'],
    more: [outcomes, ['how replies are compared', '../guide/http.md#how-replies-are-compared']],
  },
  {
    title: 'Another payload',
    text: 'Keep a hash of the payload in the record from the first attempt on, compare it in the script that takes the key, and dead-letter what differs.',
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
    text: 'What is accepted must be durable before it is answered, and stay on record until the sink has answered. A relay marks a row as sent after the effect, in the transaction in which it has locked the row, never before: it then sends at least once, and the sink tells repeats by the key. A row whose relay died, or stands still, must come free again.',
    shownBy: ['outbox-before-keyed-sink'],
    more: [['layers on PostgreSQL', '../guide/postgresql.md#an-outbox-and-its-relay']],
  },
  {
    title: 'Put off for too long',
    text: 'A lock should end soon after its holder died. Where nothing has been sent yet, take it over after a lease; where something may have been sent, dead-letter the message. A client that keeps a connection without replies keeps every attempt from its store: close such a connection after a time (ioredis: `socketTimeout`). A time limit for commands (`commandTimeout`) leaves it open, with `keepAlive` too, and later commands fail on it.',
    shownBy: ['repaired-lua-acquire', 'repaired-in-progress'],
    more: [['how a bound is declared', '../reference/adapter.md#promises-of-the-layer']],
  },
  {
    title: 'Dead-lettered for nothing',
    text: 'Dead-letter only what is in doubt. Where nothing was sent, or the sink can be asked, go on.',
    shownBy: ['repaired-lua-acquire', 'repaired-in-progress'],
    more: [doubt],
  },
  {
    title: 'Keys that stay',
    text: 'Give every key an expiry in the command that writes it. What has members of its own should be trimmed, or each member be a key.',
    shownBy: ['repaired-set-nx-marker'],
    more: [],
  },
]
