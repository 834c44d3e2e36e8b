import { assert } from 'virtual-node/assert'
import type { Digest } from 'virtual-node/kernel'
import { wordInDigest } from '../../contract/api/former-names.ts'
import type { Fact, HistoryEvent, Trace } from '../../contract/api/history.ts'

/** Facts that the digest excludes, so that tokens from before these types existed still replay. */
const besidesTheDigest = ['command-strayed', 'unanswered'] as const
const isBeside = (type: Fact['type']): boolean => (besidesTheDigest as readonly string[]).includes(type)

/**
 * The number that represents each type of fact in the digest. A number must never change, because
 * tokens contain digests.
 */
const numbers = {
  published: 1,
  delivered: 2,
  answered: 3,
  threw: 4,
  'delivery-timed-out': 5,
  'acknowledgement-lost': 6,
  settled: 7,
  'effect-sent': 8,
  'effect-applied': 9,
  'effect-deduplicated': 10,
  'effect-refused': 11,
  'effect-answered': 12,
  'process-started': 13,
  'process-ended': 14,
  'process-paused': 15,
  'process-resumed': 16,
  'fault-struck': 17,
  'fault-healed': 18,
  'reply-lost': 19,
  'request-lost': 20,
  'data-lost': 21,
  'all-healed': 22,
  'keys-counted': 23,
  unsupported: 24,
  ended: 25,
  topology: 26,
  lock: 27,
  'effect-cancelled': 28,
} as const satisfies Record<Exclude<Fact['type'], (typeof besidesTheDigest)[number]>, number>

const outcomeText = (outcome: Extract<Fact, { type: 'answered' }>['outcome']): string =>
  JSON.stringify(outcome.status === 'dead-letter' ? { ...outcome, status: wordInDigest(outcome.status) } : outcome)

/** The place of a fact in the history. */
interface Position {
  seq: number
  atUs: number
}

/** Writes the history of a run. Traces are written only on request, to keep hot runs fast. */
export class Recorder {
  readonly events: HistoryEvent[] = []
  #ended = false

  constructor(
    private readonly now: () => number,
    private readonly digest: Digest,
    readonly tracing: boolean,
  ) {}

  get nowUs(): number {
    return this.now()
  }

  /**
   * Adds a fact. Hot runs have many facts, so the object itself is kept, with its position and
   * time. Facts after `ended` are dropped, because whatever the cleanup cuts off was not lost in
   * the run.
   */
  fact(fact: Fact & Partial<Position>): void {
    if (this.#ended) return
    this.#ended = fact.type === 'ended'
    const atUs = this.now()
    assert(fact.seq === undefined, 'a fact is recorded once')
    fact.seq = this.events.length
    fact.atUs = atUs
    this.events.push(fact as HistoryEvent)
    if (isBeside(fact.type)) return
    this.digest.int(numbers[fact.type as keyof typeof numbers])
    this.digest.time(atUs)
    if (fact.type === 'effect-applied') this.digest.text(fact.receipt.effectId + fact.key + fact.process)
    else if (fact.type === 'effect-cancelled')
      this.digest.text(fact.process + fact.key + fact.reference + fact.effects.join())
    else if (fact.type === 'lock') this.digest.text(fact.process + fact.key + fact.what)
    else if (fact.type === 'answered') this.digest.text(outcomeText(fact.outcome))
    else if (fact.type === 'settled') this.digest.text(fact.messageId + wordInDigest(fact.as))
  }

  trace(trace: Trace): void {
    if (this.tracing && !this.#ended)
      this.events.push({ ...trace, seq: this.events.length, atUs: this.now() } as HistoryEvent)
  }
}
