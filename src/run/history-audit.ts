import { assert } from 'virtual-node/assert'
import type { HistoryEvent } from '../contract/api/history.ts'
import type { SinkKind } from '../contract/api/sink.ts'

interface Sent {
  readonly key: string
  isDecided: boolean
  isAnswered: boolean
}

/**
 * Checks that the facts of one run are consistent, whatever the layer does. A fact without a cause,
 * or a repeated one, is a bug of the simulator, and no verdict may be based on it.
 */
class Books {
  #atUs = 0
  #deliveries = 0
  /**
   * By message: the number of unsettled messages with that id. A copy has the id of its message.
   */
  readonly #open = new Map<string, number>()
  /** By delivery without an answer: its process. */
  readonly #handedTo = new Map<number, string>()
  readonly #requests = new Map<number, Sent>()
  readonly #alive = new Set<string>()
  /** By index of the fault: how often it has struck without healing. */
  readonly #struck = new Map<number, number>()

  constructor(private readonly sink: SinkKind) {}

  enter(event: HistoryEvent): void {
    assert(event.atUs >= this.#atUs, 'a history goes forward in time')
    this.#atUs = event.atUs
    switch (event.type) {
      case 'published':
        this.#open.set(event.messageId, (this.#open.get(event.messageId) ?? 0) + 1)
        break
      case 'delivered':
        assert(event.deliveryId === ++this.#deliveries, 'deliveries are numbered one after the other')
        assert(
          (this.#open.get(event.messageId) ?? 0) > 0,
          'a message is delivered from its publication to its settlement',
        )
        assert(this.#alive.has(event.process), 'a message is delivered to a process that lives')
        this.#handedTo.set(event.deliveryId, event.process)
        break
      case 'answered':
      case 'threw':
        assert(
          this.#handedTo.get(event.deliveryId) === event.process,
          'the process that has a delivery answers it once',
        )
        this.#handedTo.delete(event.deliveryId)
        break
      case 'settled':
        this.#settled(event.messageId)
        break
      case 'effect-sent':
        assert(!this.#requests.has(event.requestId), 'no two requests to the sink have one number')
        this.#requests.set(event.requestId, { key: event.key, isDecided: false, isAnswered: false })
        break
      case 'effect-applied':
      case 'effect-deduplicated':
      case 'effect-refused':
        this.#decided(event.requestId, event.key)
        break
      case 'effect-answered':
        this.#answered(event.requestId)
        break
      case 'process-started':
        assert(!this.#alive.has(event.process), 'a process starts once')
        this.#alive.add(event.process)
        break
      case 'process-ended':
        assert(this.#alive.has(event.process), 'a process that ends was alive')
        this.#alive.delete(event.process)
        break
      case 'fault-struck':
        this.#struck.set(event.index, (this.#struck.get(event.index) ?? 0) + 1)
        break
      case 'fault-healed':
        this.#healed(event.index)
        break
    }
  }

  #settled(messageId: string): void {
    const open = this.#open.get(messageId) ?? 0
    assert(open > 0, 'a message is settled once, after it was published')
    this.#open.set(messageId, open - 1)
  }

  #decided(requestId: number, key: string): void {
    const sent = this.#requests.get(requestId)
    assert(sent !== undefined && sent.key === key, 'the sink decides about what was asked of it')
    // A layer may execute the statement of a transactional sink in two transactions.
    assert(!sent.isDecided || this.sink === 'transactional', 'the sink decides once about a request')
    sent.isDecided = true
  }

  #answered(requestId: number): void {
    const sent = this.#requests.get(requestId)
    assert(sent !== undefined, 'only a request that was sent is answered')
    assert(!sent.isAnswered || this.sink === 'transactional', 'a request is answered once')
    sent.isAnswered = true
  }

  #healed(index: number): void {
    const struck = this.#struck.get(index) ?? 0
    assert(struck > 0, 'a fault heals after it has struck, and once')
    this.#struck.set(index, struck - 1)
  }

  get open(): number {
    let open = 0
    for (const count of this.#open.values()) open += count
    return open
  }
}

/**
 * Checks the facts of a run. `open`: the number of messages that the broker has not settled.
 * @throws BrokenAssumption if the facts are inconsistent
 */
export function mustAddUp(events: readonly HistoryEvent[], sink: SinkKind, open: number): void {
  const books = new Books(sink)
  for (const event of events) books.enter(event)
  assert(books.open === open, 'the history has as many open messages as the broker')
}
