import type { ClientSide } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { World } from './world-state.ts'

/**
 * Records that a request of the process to a store, or the reply, never arrives on the connection.
 */
export function recordLost(
  world: World,
  connection: ClientSide,
  process: VirtualProcess,
  what: 'request' | 'reply',
  command: string,
): void {
  if (!world.isRecorded(process)) return
  for (const observer of world.observers) observer.loses?.(connection, what)
  const type = what === 'reply' ? 'reply-lost' : 'request-lost'
  world.recorder.fact({ type, process: process.name, command })
}
