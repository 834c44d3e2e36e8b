/** Lua 5.1 as Redis 7.0 embeds it. */
export { compileScript } from './compile-script.ts'
export type { CompiledScript, LuaCall, LuaHost } from './host.ts'
export { createLuaMemory, flushLuaMemory, type LuaMemory } from './memory.ts'
