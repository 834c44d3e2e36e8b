/**
 * Finds the change that remedies a violation. The sentence of the cause takes precedence, then the
 * deciding step, then the kind of the violation.
 */
import { kindBy } from '../contract/results/remedy-page.ts'
import { invariantDocs } from './docs.ts'

/** One change of a layer. Several causes may need the same change. */
export interface Remedy {
  /** Part of the fingerprint of a root cause, so it must never change. */
  readonly id: string
  /** What goes wrong without the change. */
  readonly title: string
  /** The change, for the author of the layer. */
  readonly fix: string
  /**
   * The last sentence of a story, about what the layer should have done. Null if the kind has none.
   */
  readonly moral: string | null
}

/** The texts of each remedy by its id: the harm and the change. */
export const changes = {
  'answers-late': [
    'A call takes longer than the layer declares',
    'Give each call of the store and the sink a time limit below `answersWithinMs`.',
  ],
  'cancels-others': [
    'An attempt cancels an effect that was answered as done',
    'Cancel only an effect that no other attempt has answered for.',
  ],
  'claim-left-behind': [
    'A claim outlives its holder, and the message is turned away',
    'Give the claim an expiry in the command that writes it, and take it over when it has ended.',
  ],
  'clock-back': [
    'The clock of Redis jumps back, and a claim outlives its time',
    'End the wait at a record whose age is negative: the clock of Redis has jumped back.',
  ],
  'client-clock': [
    "A client's clock decides whether a key is free",
    "Decide by Redis's clock: by an expiry, or by TIME within the script.",
  ],
  'commit-lost': [
    'A commit is lost after done was answered',
    'Set synchronous_commit = on for the transaction, and use a synchronous standby.',
  ],
  crash: [
    'A crash after the effect repeats the effect',
    'Record the begin before the effect. If a begin has no result, ask the sink or dead-letter.',
  ],
  'dead-connection': [
    'The client keeps a dead connection for too long',
    'Close a connection whose replies stop (ioredis: socketTimeout). commandTimeout leaves it open.',
  ],
  'dead-letters-early': [
    'A message is dead-lettered without need',
    'Dead-letter only a message in doubt: go on if nothing was sent, otherwise ask the sink.',
  ],
  'dead-letters-without-reason': ['A message is dead-lettered without a reason', 'Answer dead-letter with a reason.'],
  'done-before-commit': [
    'Done is answered although the transaction was undone',
    'Answer done only if COMMIT was answered COMMIT. Try again after an error.',
  ],
  'done-without-effect': [
    'Done is answered without an effect',
    "Answer done only with the sink's receipt. A claim only proves that an attempt began.",
  ],
  'error-is-no-refusal': [
    'After an error of the sink, the effect is performed again',
    'Free the key only if the sink refused. After other errors, no expiry frees it: ask the sink.',
  ],
  'forgets-accepted': [
    'An accepted message is forgotten',
    'Mark a message as sent after the sink has answered, never before.',
  ],
  'gone-in-between': [
    'The record expires between two commands of an attempt',
    'Write and read in one script, or begin again if the record is gone.',
  ],
  'job-not-freed': [
    'A job stays with a worker that died or failed',
    'Free an unfinished job: with the transaction that locks it, or after a timeout.',
  ],
  'keys-stay': ['Keys stay in Redis forever', 'Give each key an expiry in the command that writes it.'],
  'lock-is-all': [
    'Only a lock proves the effect, and the lock is released',
    'Write a record of the result before the lock is released.',
  ],
  'look-then-write': [
    'Two attempts look before either has written',
    'Claim the key in one command: by SET NX, or by a script.',
  ],
  'never-answers': ['The handler never answers', 'Give each wait a timeout, and answer retry when it expires.'],
  'no-answer': [
    'The effect is performed without an answer from the store',
    'Answer retry if the store does not answer. Do not perform.',
  ],
  'no-second-look': [
    'The record is not read again after the claim',
    'Read the record again once the claim is granted.',
  ],
  overwrites: ['An attempt writes over a record that is done', 'Compare and replace the record in one step.'],
  'payload-not-compared': [
    'Another payload is mistaken for the first one',
    'Keep a hash of the payload in the record, and dead-letter a message that differs.',
  ],
  'produced-ahead': [
    'A produced-at time in the future makes an old copy look young',
    "Dead-letter a message whose produced-at time is ahead of Redis's clock by more than a second.",
  ],
  'put-off': [
    'A message is delayed for too long',
    'Answer done, refused (on record) or dead-letter before the attempts of the broker run out.',
  ],
  quorum: [
    'A lock is lost with the majority of its servers',
    'Have the sink refuse an old holder: give it the key or a fence.',
  ],
  'record-ended': [
    'A copy that arrives after the record has expired is performed again',
    'Keep records for longer than copies arrive, and dead-letter older messages.',
  ],
  'record-not-answered': [
    'A record of the effect turns later attempts away',
    'Once the effect is recorded, answer done, and answer each copy from the record.',
  ],
  'refuses-early': [
    'Refused is answered although the effect may happen',
    'Answer refused only if the sink refused. Record that, and answer each copy from the record.',
  ],
  reopens: [
    'A record that is done is opened again',
    'Compare the owner before a record is opened again, and keep a record that is done.',
  ],
  'stale-read': [
    'A read of DynamoDB misses the last write',
    'Read with ConsistentRead, or decide by a condition of the write.',
  ],
  replica: ['A read asks a stale replica', 'Ask the primary.'],
  'result-not-kept': [
    'A copy is answered with another result',
    'Store the result with the record, and answer each copy with it.',
  ],
  'row-not-there': [
    'A lock on a missing row stops no other attempt',
    'Insert the key first: INSERT … ON CONFLICT DO NOTHING.',
  ],
  'session-lock': [
    'Attempts that share a pool share its session lock',
    'Take pg_advisory_xact_lock in the transaction of the effect.',
  ],
  'shared-lock': ['Two keys share one lock', 'Name the lock after the whole key, and let only its holder delete it.'],
  'shared-record': ['Two keys share one record', 'Name the record after the whole key.'],
  'shared-watch': [
    'A WATCH on a shared connection ends too early',
    'Watch on a connection of each attempt, or claim the key by SET NX.',
  ],
  'slow-holder': [
    'A slow attempt performs after its claim has ended',
    'Before the effect, write BEGUN, as the holder only; never take BEGUN over. Or use a fence.',
  ],
  'store-loss': [
    'The store loses records',
    'No lock helps. Use a sink that deduplicates, or wait for replicas and detect the loss.',
  ],
  throws: ['The handler throws on every attempt', 'Find out why it throws, and answer the message.'],
  'two-at-once': ['Two attempts perform at the same time', 'Read, decide and write in one script, or by SET NX.'],
} as const
type RemedyId = keyof typeof changes

/**
 * Changes for repeated effects whose deciding step (`Cause.decidedBy`) is more specific than their
 * kind.
 */
const ofSteps: readonly (readonly [step: RegExp, id: RemedyId, moral: string])[] = [
  [
    /, then .+: nothing/,
    'gone-in-between',
    'The record expired between two commands: the layer should have started over instead of acting as the holder.',
  ],
  [
    /, done meanwhile$/,
    'overwrites',
    'The attempt overwrote a record that was completed after its read: write only if the record is unchanged.',
  ],
]

/**
 * Changes for causes whose sentences are more specific than step and kind. An entry without a moral
 * has the moral of the kind.
 */
const ofCauses: readonly (readonly [why: RegExp, id: RemedyId, moral?: string])[] = [
  [
    /^two attempts got one session |^the session that held the advisory lock ended /,
    'session-lock',
    'A session lock does not separate attempts that share a pool: take pg_advisory_xact_lock in the transaction of the effect, on its connection.',
  ],
  [
    /, as the first one had not committed yet/,
    'row-not-there',
    'A missing row locks nothing: claim the key first, by INSERT … ON CONFLICT DO NOTHING, which waits for another attempt. An attempt that inserted nothing should answer by the existing row.',
  ],
  [
    /^DELETE \S+ removed the row of the first attempt/,
    'record-ended',
    'Keep a record for as long as copies of its message may arrive, and never delete it earlier.',
  ],
  [
    /^the transaction of the effect did not commit: /,
    'done-before-commit',
    'Answer done only after COMMIT was answered COMMIT. An error undoes the whole transaction and should lead to another attempt.',
  ],
  [
    / decided by a time that /,
    'client-clock',
    "Let Redis's clock decide whether a key is free: by an expiry or by TIME within the script, never by a client's clock.",
  ],
  [
    / considered the claim expired by its stored time .*: the clock of /,
    'client-clock',
    "Let Redis's clock decide whether a claim is over: by an expiry, or by TIME within the script that compares. A client's clock may be wrong by any amount.",
  ],
  [
    / of another attempt wrote over the record of the effect, /,
    'overwrites',
    'Compare and replace the record in one step, so that an attempt without an effect does not change it.',
  ],
  [
    /, which lacked the write of the first attempt to /,
    'replica',
    'Read from the server that was written to: a replica may be behind for any time.',
  ],
  [
    / was performed again: its produced-at time, /,
    'produced-ahead',
    "A produced-at time may be wrong: bound it by Redis's clock, and dead-letter a message beyond that as in doubt.",
  ],
  [
    /, and a message that was older than the retention /,
    'record-ended',
    'Dead-letter a message that is older than the retention as in doubt: its record may be gone.',
  ],
  [
    / of an attempt at another key (had left there when it|deleted the data of) .* meet in /,
    'shared-lock',
    'A lock that keys share is held for all of them: let it expire, and let only its holder delete it.',
  ],
  [
    / of an attempt at another key .* meet in /,
    'shared-record',
    'Name a record after the whole key and nothing else: a record that two keys share proves nothing about either.',
  ],
  [
    / opened the record of the first one, which was done: |^after the first attempt was done, .+ about its record; then /,
    'reopens',
    'A record that is done should stay done: before a record is opened again, check that it is of the same attempt.',
  ],
  [
    /^the EXEC of one attempt was executed, although /,
    'shared-watch',
    'WATCH belongs to a connection, and any EXEC there ends it: watch on a connection of the attempt alone, or claim the key in one command (SET NX).',
  ],
  [
    / was not consistent, and missed the last write to the item /,
    'stale-read',
    'Use ConsistentRead for a read that decides, or a condition for the write: another read may return an old item.',
  ],
  [
    / looked \(.+\) (while the first attempt was at work and had|before either had) /,
    'look-then-write',
    'A read and a write are two steps, and another attempt comes in between: claim the key in one, by SET NX or a script.',
  ],
  [
    /^the (first|next) attempt called the sink .+, without an answer to that|^\S+( NX)? of the (first|next) attempt was answered error .+, and it performed anyway/,
    'no-answer',
    'Without an answer from the store, the layer does not know whether a key is free: answer retry and do not perform.',
  ],
  [
    /^(the last effect was sent after|no command of the second attempt was executed) .*(, while (Redis was|\S+ was cut off|the connections) |, the reply to which was lost| had answered error )/,
    'no-answer',
    'Without an answer from the store, the layer does not know whether a key is free: answer retry and do not perform.',
  ],
  [
    /^\S+ held the lock on .+ came back from its restart without it/,
    'quorum',
    'A server that has lost its locks should not vote until they would have expired, or should sync each write to disk before it answers. The sink should refuse a holder that may have lost its majority.',
  ],
  [
    /^\S+ held the lock on .+ which ended it there before its time /,
    'quorum',
    'A lock expires by the clocks of its servers, which may jump: the sink should refuse a holder that may have lost its majority.',
  ],
  [
    /^the mark of \S+ was on /,
    'quorum',
    'Ask every server that may have a record, and sync it to disk before the answer: three of five servers are a majority only if none of them forgets.',
  ],
  [/, removed its TTL of .+, /, 'keys-stay', 'A write over a key removes its TTL: set one (PX) or keep it (KEEPTTL).'],
  [
    / and did not look again once its claim /,
    'no-second-look',
    'Read the record again once the claim is granted: another attempt may have finished in between.',
  ],
  [/ left its claim behind/, 'claim-left-behind'],
  [
    /^the sink refused the effect for good /,
    'put-off',
    'Record the refusal under the key and answer refused. Answer each copy from the record, so that it does not perform again.',
  ],
  [
    / after its effect, and what it had recorded \(.+\) turned later ones away$/,
    'record-not-answered',
    'An attempt that finds the effect recorded should answer done from the record, even if it has no result.',
  ],
  [/^the first attempt deleted its claim when it was done, /, 'lock-is-all'],
  [
    /^the connections of .+ were half-open, /,
    'dead-connection',
    'A client should close a connection whose replies stop, within the bound of its layer (ioredis: `socketTimeout`). A time limit for commands (`commandTimeout`) leaves the connection open, and every later command fails on it too.',
  ],
  [
    /^its last attempts threw the same error before a command of theirs was executed: /,
    'throws',
    'An attempt that cannot reach its store should open a new connection instead of keeping the failed one.',
  ],
  [/^its last attempts threw the same error |^the last attempt threw /, 'throws'],
  [
    / had taken the job \(.+; no worker called the sink for the key( again)?$/,
    'job-not-freed',
    'Free a job again if its worker dies or fails: with the transaction that locks it, or after a timeout.',
  ],
  [
    /^a duplicate was answered done with .+ (while another attempt was still at work|before the effect had happened)/,
    'done-without-effect',
    'A mark means that an attempt has begun: answer a copy with retry until the result is on record.',
  ],
]

/**
 * The remedy by kind of violation; the entry `a` applies to every kind `a:b` that is not listed.
 */
const ofKinds: { readonly [kind: string]: RemedyId } = {
  duplicate: 'two-at-once',
  zombie: 'slow-holder',
  'repeat-after-crash': 'crash',
  'repeat-after-error': 'error-is-no-refusal',
  'repeat-after-loss:expiry': 'record-ended',
  'repeat-after-loss': 'store-loss',
  'done-without-effect': 'done-without-effect',
  'done-then-lost': 'commit-lost',
  'done-then-cancelled': 'cancels-others',
  'refused-then-applied': 'refuses-early',
  'refused-though-applied': 'refuses-early',
  'refused-without-refusal': 'refuses-early',
  'different-result': 'result-not-kept',
  'different-reply': 'result-not-kept',
  'executed-with-another-payload': 'payload-not-compared',
  'answered-as-if-the-same': 'payload-not-compared',
  'answered-as-if-produced-then': 'payload-not-compared',
  'given-up': 'put-off',
  'never-settled': 'put-off',
  'retry-goes-on': 'put-off',
  'call-goes-on': 'answers-late',
  'handler-never-answers': 'never-answers',
  'dead-lettered-without-reason': 'dead-letters-without-reason',
  'accepted-and-forgotten': 'forgets-accepted',
  'dead-lettered-for-nothing': 'dead-letters-early',
  'dead-lettered-in-place-of-asking': 'dead-letters-early',
  'fault-free-not-done': 'put-off',
  'fault-free-effects': 'two-at-once',
  'named-after-a-message': 'keys-stay',
  'grows-with-messages': 'keys-stay',
  'as-many-as-keys': 'keys-stay',
}

/** Kinds of violations for which an entry of `ofSteps` is more specific. */
const explained = /^(duplicate|zombie|repeat-after-loss:expiry)$/

const morals = new Map(Object.values(invariantDocs).flatMap((doc) => Object.entries(doc.remedies)))

/**
 * The remedy for a violation. Null for a kind without a remedy, such as a kind of an invariant that
 * a scenario defines.
 */
export function remedyOf(reported: string, decidedBy: string | null = null, why: string | null = null): Remedy | null {
  const kind = kindBy(reported, why)
  const [whole] = kind.split(':', 1)
  const ofCause = ofCauses.find(([cause]) => cause.test(why ?? ''))
  const ofStep = explained.test(kind) ? ofSteps.find(([step]) => step.test(decidedBy ?? '')) : undefined
  const [, id, moral] = ofCause ?? ofStep ?? [null, ofKinds[kind] ?? ofKinds[whole!]]
  if (id === undefined) return null
  const [title, fix] = changes[id]
  return { id, title, fix, moral: moral ?? morals.get(kind) ?? morals.get(whole!) ?? null }
}

/** The moral of a story; null for a kind without one. */
export const moralOf = (kind: string, decidedBy: string | null = null, why: string | null = null): string | null =>
  remedyOf(kind, decidedBy, why)?.moral ?? null
