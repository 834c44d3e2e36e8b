/** The requests to the sink that have passed their gate, and which process sent each. */
import type { Decision } from '../run/boundary-event.ts'
import type { Conductor } from '../run/conductor.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import type { ConsumerGate } from './protocol.ts'

type Unsent = Extract<ConsumerGate, { at: 'effect-unsent' }>

export class SentRequests {
  readonly #senders = new Map<number, ConsumerProcess>()

  constructor(private readonly conductor: () => Conductor<ConsumerProcess>) {}

  /** The number that the request has from now on, and what becomes of it at its gate. */
  async send(
    process: ConsumerProcess,
    { key, fingerprint, fence }: Unsent,
  ): Promise<{ readonly requestId: number; readonly sent: Decision }> {
    const { effects } = this.conductor()
    const requestId = effects.nextRequestId()
    this.#senders.set(requestId, process)
    const fenced = fence === undefined ? {} : { fence }
    const sent = await effects.sent(process, { requestId, key, payload: JSON.parse(fingerprint), ...fenced })
    return { requestId, sent }
  }

  /** Whose request that is. */
  senderOf(requestId: number): ConsumerProcess | undefined {
    return this.#senders.get(requestId)
  }
}
