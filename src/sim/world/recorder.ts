import type { Fact, HistoryEvent, Trace } from '../../contract/history.ts'
import type { Digest } from '../kernel/digest.ts'

/** Small numbers for fact types, fixed by this list: they enter digests. */
const order = [
  'published',
  'delivered',
  'answered',
  'threw',
  'delivery-timed-out',
  'acknowledgement-lost',
  'settled',
  'effect-sent',
  'effect-applied',
  'effect-deduplicated',
  'effect-refused',
  'effect-answered',
  'process-started',
  'process-ended',
  'process-paused',
  'process-resumed',
  'fault-struck',
  'fault-healed',
  'reply-lost',
  'request-lost',
  'data-lost',
  'all-healed',
  'keys-counted',
  'unsupported',
  'ended',
  'topology',
] as const satisfies readonly Fact['type'][]

/** Told for goals alone: no part of the path that digests follow, nor are tokens that were made before it was told. */
const besidesThePath = 'command-strayed'
const numberOf = new Map<string, number>(order.map((type, at) => [type, at + 1]))

interface Place {
  seq: number
  atUs: number
}

/** Writes the history of a run. Facts always; traces only where asked for, so that hot runs stay hot. */
export class Recorder {
  readonly events: HistoryEvent[] = []
  #ended = false

  constructor(
    private readonly now: () => number,
    private readonly digest: Digest,
    readonly tracing: boolean,
  ) {}

  /**
   * Keeps the fact itself and writes place and time into it: hot runs are full of facts. After `ended` there is nothing
   * more to tell: what the clearing away of a world cuts off was not lost in it.
   */
  fact(fact: Fact & Partial<Place>): void {
    if (this.#ended) return
    this.#ended = fact.type === 'ended'
    const atUs = this.now()
    fact.seq = this.events.length
    fact.atUs = atUs
    this.events.push(fact as HistoryEvent)
    if (fact.type === besidesThePath) return
    this.digest.int(numberOf.get(fact.type)!)
    this.digest.time(atUs)
    if (fact.type === 'effect-applied') this.digest.text(fact.receipt.effectId + fact.key + fact.process)
    else if (fact.type === 'answered') this.digest.text(JSON.stringify(fact.outcome))
    else if (fact.type === 'settled') this.digest.text(fact.messageId + fact.as)
  }

  trace(trace: Trace): void {
    if (this.tracing && !this.#ended)
      this.events.push({ ...trace, seq: this.events.length, atUs: this.now() } as HistoryEvent)
  }
}
