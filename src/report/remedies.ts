import { invariantDocs } from '../check/docs.ts'
import { kindBy } from '../contract/results/remedy-page.ts'

const remedies = new Map(Object.values(invariantDocs).flatMap((doc) => Object.entries(doc.remedies)))

/** Of effects that happened twice, where the step that decided it (`Cause.decidedBy`) says more than the kind does. */
const ofSteps: readonly (readonly [step: RegExp, remedy: string])[] = [
  [
    /, then .+: nothing/,
    'One command met the record, and the next one found it gone: the layer should have begun again, not gone on as if it were the holder.',
  ],
  [
    /, done meanwhile$/,
    'The attempt wrote over a record that was completed after it had looked: it should write only where the record is still as it was read.',
  ],
]

/** Of effects that happened twice, where the sentence of its cause says more than both do. */
const ofCauses: readonly (readonly [why: RegExp, remedy: string])[] = [
  [
    /^two attempts were given one session |^the session that held the advisory lock ended /,
    'A lock of a session says nothing of attempts that share a pool: pg_advisory_xact_lock should be taken in the transaction that has the effect, on its connection.',
  ],
  [
    /, as the first one had not committed yet/,
    'A row that is not there yet locks nothing: the key should be claimed first, by INSERT … ON CONFLICT DO NOTHING, which waits for another attempt. An attempt that inserted nothing should answer by the row that is there.',
  ],
  [
    /^DELETE \S+ removed the row of the first attempt/,
    'A record should be kept for as long as copies of its message may come: nothing should delete it before.',
  ],
  [
    /^the transaction of the effect came to nothing: /,
    'Done should be answered only after COMMIT was answered COMMIT. An error undoes the whole transaction, and should lead to another attempt.',
  ],
  [
    / went by a time that /,
    "Whether a key is free should be said by Redis's own clock, by an expiry or by TIME within the script: no time of a client should decide it.",
  ],
  [
    / took the claim for over by the time in it .*: the clock of /,
    "Whether a claim is over should be said by one clock, that of Redis: by an expiry, or by TIME within the script that compares. A client's clock may be wrong by any amount.",
  ],
  [
    / of another attempt wrote over the record of the effect, /,
    'The record should be compared and replaced in one step, so that an attempt without an effect leaves it as it was.',
  ],
  [
    /, which had not got what the first attempt had written to /,
    'What decides should be asked of the server that it was written to: a replica may be behind for any time.',
  ],
  [
    / by its produced-at time alone, which was /,
    "A produced-at time may be off: how far ahead it may be should be bounded by Redis's clock, and a message beyond that dead-lettered as in doubt.",
  ],
  [
    /, and a message that was older than the retention /,
    'A message that is older than the retention should be dead-lettered as in doubt: its record may be gone, however long records live.',
  ],
  [
    / of an attempt at another key (had left there when it|deleted what) .* meet in /,
    'A lock that keys share is held for all of them: it should end by itself, and only its holder should delete it.',
  ],
  [
    / of an attempt at another key .* meet in /,
    'A record should be named after the whole key, and after nothing else: what two keys share says nothing of either.',
  ],
  [
    / opened the record of the first one, which was done: |^after the first attempt was done, .+ about its record; then /,
    'A record that is done should stay so: what opens a record should compare that it is still the attempt that it asked about.',
  ],
  [
    /^the EXEC of one attempt was executed, although /,
    'WATCH belongs to a connection, and any EXEC there ends it: an attempt should watch on a connection that no other one uses, or claim the key in one command (SET NX).',
  ],
  [
    / looked \(.+\) (while the first attempt was at work and had|before either had) /,
    'A look and a write are two steps, and another attempt comes in between: the key should be claimed in one, by SET NX or a script.',
  ],
  [
    /^(the last effect was sent after|no command of the second attempt was executed) .*(, while (Redis was|\S+ was cut off|the connections) |, the reply to which was lost)/,
    'Without an answer of the store, a layer does not know whether a key is free: it should answer retry, and not perform.',
  ],
  [
    /^\S+ held the lock on .+ came back from its restart without it/,
    'A server that has forgotten its locks should not vote until all of them would have ended, or should keep each write on its disk before it answers. A holder that may have lost its majority should be refused by the sink.',
  ],
  [
    /^\S+ held the lock on .+ which ended it there before its time /,
    'A lock that ends by the clocks of its servers ends with them: the sink should refuse a holder that may have lost its majority.',
  ],
  [
    /^the mark of \S+ was on /,
    'A record should be asked of every server that may have it, and kept on disk before it is answered: three of five that forget nothing are a majority, three of which one forgets are not.',
  ],
  [
    /, took its time to live of .+ away, /,
    'A write over a key ends its time to live: it should give one itself (PX), or keep it (KEEPTTL).',
  ],
  [
    / and did not look again once its claim /,
    'What was looked for before the claim should be looked for again once it is granted: another attempt may have been done in between.',
  ],
]

/** Kinds that such a step explains better. */
const explained = /^(duplicate|zombie|repeat-after-loss:expiry)$/

/** What should have happened in place of a kind of violation: the moral of its story. Null for a kind that has none. */
export function remedyOf(reported: string, decidedBy: string | null = null, why: string | null = null): string | null {
  const kind = kindBy(reported, why)
  const ofCause = ofCauses.find(([cause]) => cause.test(why ?? ''))?.[1]
  const ofStep = explained.test(kind) ? ofSteps.find(([step]) => step.test(decidedBy ?? ''))?.[1] : undefined
  return ofCause ?? ofStep ?? remedies.get(kind) ?? remedies.get(kind.split(':', 1)[0]!) ?? null
}
