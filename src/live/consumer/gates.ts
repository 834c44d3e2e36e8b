/** Where a consumer process waits for the harness: it asks, and goes on when the answer says so. */
import type { ConsumerGate, FromConsumer, ToConsumer } from '../protocol.ts'

export interface GateDecision {
  /** What waited goes no further. */
  readonly drop: boolean
  /** The connection that it waited for is reset. */
  readonly reset: boolean
  readonly requestId: number
}

export const tell = (message: FromConsumer): void => void process.send?.(message)

let gates = 0
const waiting = new Map<number, (decision: GateDecision) => void>()

export function passGate(where: ConsumerGate): Promise<GateDecision> {
  const gate = ++gates
  return new Promise((resolve) => {
    waiting.set(gate, resolve)
    tell({ type: 'gate', gate, where })
  })
}

export function openGate({ gate, drop, reset = false, requestId = 0 }: Extract<ToConsumer, { type: 'go' }>): void {
  waiting.get(gate)?.({ drop, reset, requestId })
  waiting.delete(gate)
}
