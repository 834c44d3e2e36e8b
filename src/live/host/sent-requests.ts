/** The requests to the sink that have passed their gate, with the sender of each. */
import type { Decision } from '../../run/boundary-event.ts'
import type { Runner } from '../../run/runner.ts'
import type { SinkReply } from '../../run/sink/sink-errors.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import type { ConsumerGate } from './protocol.ts'

type Unsent = Extract<ConsumerGate, { at: 'effect-unsent' }>

export interface SentRequest {
  readonly requestId: number
  readonly sent: Decision
  /** The reply that the caller gets instead of a statement. */
  readonly instead: SinkReply | null
}

export class SentRequests {
  readonly #senders = new Map<number, ConsumerProcess>()

  constructor(private readonly runner: () => Runner<ConsumerProcess>) {}

  /** Passes a request through its gate. Returns its new number and the decision. */
  async send(process: ConsumerProcess, { key, fingerprint, fence, statement }: Unsent): Promise<SentRequest> {
    const { effects } = this.runner()
    const requestId = effects.nextRequestId()
    this.#senders.set(requestId, process)
    const fenced = fence === undefined ? {} : { fence }
    const sent = await effects.sent(process, { requestId, key, payload: JSON.parse(fingerprint), ...fenced })
    const instead = statement === true ? effects.inPlaceOfStatement(process, { requestId, key }, sent) : null
    return { requestId, sent, instead }
  }

  /** The process that sent the request. */
  senderOf(requestId: number): ConsumerProcess | undefined {
    return this.#senders.get(requestId)
  }
}
