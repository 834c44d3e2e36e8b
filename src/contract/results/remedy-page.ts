/**
 * Maps the kind of a violation to the section of docs/findings/instead.md that shows the code to
 * write instead.
 */
import { anchorOf } from './heading-anchor.ts'

/** A section, and the kinds of violations that it covers. The entry `a` covers every kind `a:b`. */
export interface RemedySection {
  readonly title: string
  readonly kinds: readonly string[]
}

const page = 'docs/findings/instead.md'

export const remedySections: readonly RemedySection[] = [
  { title: 'Two attempts at once', kinds: ['duplicate', 'fault-free-effects'] },
  { title: 'A holder that came back', kinds: ['zombie'] },
  { title: 'A crash in between', kinds: ['repeat-after-crash'] },
  { title: 'An error is not a refusal', kinds: ['repeat-after-error'] },
  { title: 'A record that was gone', kinds: ['repeat-after-loss'] },
  { title: 'Done without an effect', kinds: ['done-without-effect'] },
  { title: 'A commit that was lost', kinds: ['done-then-lost'] },
  { title: 'Cancelled after all', kinds: ['done-then-cancelled'] },
  { title: 'Refused too early', kinds: ['refused-then-applied', 'refused-though-applied', 'refused-without-refusal'] },
  { title: 'Another result', kinds: ['different-result', 'different-reply'] },
  {
    title: 'Another payload',
    kinds: ['executed-with-another-payload', 'answered-as-if-the-same', 'answered-as-if-produced-then'],
  },
  { title: 'A message that was given up', kinds: ['given-up', 'never-settled', 'dead-lettered-without-reason'] },
  { title: 'Accepted and forgotten', kinds: ['accepted-and-forgotten'] },
  { title: 'Delayed for too long', kinds: ['retry-goes-on', 'call-goes-on', 'handler-never-answers'] },
  {
    title: 'Dead-lettered without need',
    kinds: ['dead-lettered-for-nothing', 'dead-lettered-in-place-of-asking', 'fault-free-not-done'],
  },
  { title: 'Keys that stay', kinds: ['named-after-a-message', 'grows-with-messages', 'as-many-as-keys'] },
]

/**
 * Causes that need another remedy than their kind suggests. The third element is a kind that has
 * the right remedy.
 */
const besidesKind: readonly (readonly [reported: RegExp, why: RegExp, kind: string])[] = [
  [/./, / and did not look again once its claim /, 'duplicate'],
  [/^(duplicate|zombie|repeat-after-(crash|error))$/, /^DELETE \S+ removed the row /, 'repeat-after-loss:expiry'],
  [
    /^(zombie|repeat-after-(crash|error))$/,
    /^two attempts got one session |^the session that held the advisory lock ended |, as the first one had not committed yet/,
    'duplicate',
  ],
  [/^zombie$/, / decided by a time that /, 'duplicate'],
  [/^zombie$/, /; the layer treated that as a failure and deleted its claim$/, 'repeat-after-error'],
  [
    /^(zombie|repeat-after-(crash|error))$/,
    /^\S+ of (one|the next) attempt .*deleted the (claim|record) of /,
    'duplicate',
  ],
  [
    /^different-result$/,
    /^a duplicate was answered done with .+ (while another attempt was still at work|before the effect had happened)/,
    'done-without-effect',
  ],
  [
    /^given-up$/,
    /^(the connections of \S+ were half-open|its last attempts threw the same error before a command of theirs)/,
    'retry-goes-on',
  ],
  [
    /^(zombie|repeat-after-(crash|error|loss:.*))$/,
    / was not consistent, and missed the last write to the item /,
    'duplicate',
  ],
  [/^(zombie|repeat-after-(crash|error))$/, /^no command of the second attempt was executed .*, while /, 'duplicate'],
  [/^(duplicate|repeat-after-loss:.*)$/, /^the claim of the first attempt expired.* one after the other$/, 'zombie'],
  [
    /^(duplicate|zombie|repeat-after-loss:.*)$/,
    /^the next attempt considered the claim expired by its stored time /,
    'zombie',
  ],
  [
    /^(zombie|repeat-after-loss:.*)$/,
    /^(both attempts|an attempt|(the process of )?the second attempt) looked /,
    'duplicate',
  ],
  [
    /^repeat-after-loss:/,
    /^(the (handler|worker) called the sink twice|no command of the second attempt was executed) /,
    'duplicate',
  ],
  [/^repeat-after-loss:/, /^another attempt was done after |^its claim was refused, /, 'duplicate'],
  [
    /^repeat-after-loss:/,
    /^the lease ended while the holder |^the claim expired.* the next attempt took the key/,
    'zombie',
  ],
  [
    /^repeat-after-loss:/,
    /^(the sink's answer to the first attempt was an error|the first attempt (gave up|had its receipt))/,
    'repeat-after-error',
  ],
  [/^repeat-after-loss:/, /^the process died /, 'repeat-after-crash'],
  // The effect was not caused by the lost record, or the reason is not known.
  [
    /^repeat-after-loss:/,
    /^the last effect was sent after |^after the first attempt was done, |^the first attempt deleted its | deleted the (claim|record) of |^[A-Z]+ of another attempt wrote over the record /,
    'duplicate',
  ],
]

/**
 * The two endings of a cause that begins with a loss. With the second ending, the loss is not the
 * reason for `saysHowFirstEnded` kinds.
 */
const afterLoss = '; (so the next attempt performed again$|[A-Z]+ of the next attempt then answered )'

/**
 * Causes that are losses, although the kind of the violation is not a loss or is another loss. The
 * checker misses these losses because the names of the lost records contain no idempotency key.
 */
const losses: readonly (readonly [why: RegExp, kind: string])[] = [
  [
    /^(the (record|claim)|the data of the key) expired.*, (while deliveries of the message still came|and a message (that was older than the retention|was performed again that was younger) )|^the record expired.*, while the first attempt was /,
    'repeat-after-loss:expiry',
  ],
  [new RegExp(`^Redis evicted .*${afterLoss}`), 'repeat-after-loss:eviction'],
  [new RegExp(`^Redis was emptied, .*${afterLoss}`), 'repeat-after-loss:flush'],
  [new RegExp(` came back from its restart without .*${afterLoss}`), 'repeat-after-loss:restart'],
  [new RegExp(`^the failover promoted .*${afterLoss}`), 'repeat-after-loss:failover'],
  [new RegExp(` went to a primary that had been replaced .*${afterLoss}`), 'repeat-after-loss:split-brain'],
]
const mayBeLosses = /^(duplicate|zombie|repeat-after-(crash|error|loss:.*))$/
/**
 * Kinds that say how the first attempt ended. If the loss is not the reason, the remedy of the kind
 * itself helps.
 */
const saysHowFirstEnded = /^(zombie|repeat-after-crash|repeat-after-error)$/

/** The kind whose remedy helps against a violation of this kind with this cause sentence. */
export function kindBy(kind: string, why: string | null): string {
  const isLeft = saysHowFirstEnded.test(kind) && / of the next attempt then answered /.test(why ?? '')
  const loss = mayBeLosses.test(kind) && !isLeft ? losses.find(([cause]) => cause.test(why ?? '')) : undefined
  if (loss !== undefined) return loss[1]
  return besidesKind.find(([reported, cause]) => reported.test(kind) && cause.test(why ?? ''))?.[2] ?? kind
}

/**
 * The section, relative to the package: `docs/findings/instead.md#a-crash-in-between`. Null for a
 * kind that no section covers, such as a scenario's own.
 */
export function insteadOf(reported: string, why: string | null = null): string | null {
  const kind = kindBy(reported, why)
  const [whole] = kind.split(':', 1)
  const section = remedySections.find(({ kinds }) => kinds.includes(kind) || kinds.includes(whole!))
  return section === undefined ? null : `${page}#${anchorOf(section.title)}`
}
