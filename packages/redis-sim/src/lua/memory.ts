/**
 * The Lua state that a server keeps between scripts. Globals are read-only, but the state of
 * `math.random` and the settings of cjson persist. SCRIPT FLUSH resets the settings but not the
 * random state.
 */
import { type CjsonConfig, newConfig } from './lib/cjson-config.ts'
import { initialRandom, type RandomState } from './lib/random.ts'
import { type CallRoom, newCallRoom } from './runtime/call.ts'

export interface LuaMemory {
  readonly random: RandomState
  cjson: CjsonConfig
  room: CallRoom
}

export function createLuaMemory(): LuaMemory {
  return { random: initialRandom(), cjson: newConfig(), room: newCallRoom() }
}

export function flushLuaMemory(memory: LuaMemory): void {
  memory.cjson = newConfig()
  memory.room = newCallRoom()
}
