/**
 * Lua 5.1 as Redis 7.0.15 embeds it, compiled to JavaScript.
 *
 * Fault model: none; a script does what it does on real Redis, or the difference is one of these,
 * which are left out. `string.dump` gives the header of a binary chunk and no code (real Redis
 * loads none either). NaN always prints as `-nan` (x86 has two). Replies nested deeper than
 * JavaScript's stack allows are an error as a whole, and the calls of a coroutine count as its
 * caller's. Nothing is collected, so weak tables are strong and `collectgarbage` measures nothing.
 * Addresses are counted, not real, and so is the order of keys that are tables or functions. An
 * error table without `err`, which crashes real Redis, answers an empty message. Transcendental
 * functions may differ in their last digit.
 */
export { compileScript } from './compile-script.ts'
export type { CompiledScript, LuaCall, LuaHost } from './host.ts'
export { badName } from './lib/register-function.ts'
export { type LoadedFunction, loadLibrary } from './load-library.ts'
export { createLuaMemory, flushLuaMemory, type LuaMemory } from './memory.ts'
export { stepsOfByte } from './runtime/effort.ts'
