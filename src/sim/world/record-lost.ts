import type { VirtualProcess } from '../runtime/process.ts'
import type { World } from './world-state.ts'

/** A request to a store, or the reply to it, never arrives. */
export function recordLost(world: World, process: VirtualProcess, what: 'request' | 'reply', command: string): void {
  if (!world.isRecorded(process)) return
  const type = what === 'reply' ? 'reply-lost' : 'request-lost'
  world.recorder.fact({ type, process: process.name, command })
}
