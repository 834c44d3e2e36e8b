/** Gates at which a consumer process waits for a decision of the harness. */
import type { SinkReply } from '../../run/sink/sink-errors.ts'
import type { ConsumerGate, FromConsumer, ToConsumer } from '../host/protocol.ts'

export interface GateDecision {
  /** If true, the message that waited is dropped. */
  readonly drop: boolean
  /** If true, the connection of the message that waited is reset. */
  readonly reset: boolean
  readonly requestId: number
  /** The reply that the caller gets instead of a statement. */
  readonly instead?: SinkReply
}

export type Replied = Omit<Extract<FromConsumer, { type: 'replied' }>, 'gate'>

export const report = (message: FromConsumer): void => void process.send?.(message)

let gates = 0
const waiting = new Map<number, (decision: GateDecision) => void>()

export const passGate = (where: ConsumerGate): Promise<GateDecision> =>
  waitAt((gate) => ({ type: 'gate', gate, where }))

/** Called with a reply that has arrived. Resolves when the harness has decided about it. */
export const passReply = (replied: Replied): Promise<GateDecision> => waitAt((gate) => ({ ...replied, gate }))

function waitAt(reported: (gate: number) => FromConsumer): Promise<GateDecision> {
  const gate = ++gates
  return new Promise((resolve) => {
    waiting.set(gate, resolve)
    report(reported(gate))
  })
}

export function openGate({ gate, ...go }: Extract<ToConsumer, { type: 'go' }>): void {
  const { drop, reset = false, requestId = 0, instead } = go
  waiting.get(gate)?.({ drop, reset, requestId, ...(instead === undefined ? {} : { instead }) })
  waiting.delete(gate)
}
