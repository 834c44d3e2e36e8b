/**
 * Lua 5.1 as embedded in Redis 7.0.15, compiled to JavaScript.
 *
 * Fault model: none. A script behaves as on real Redis, with these exceptions. `string.dump`
 * returns the header of a binary chunk without code (real Redis cannot load any). NaN always prints
 * as `-nan` (on x86, there are two NaNs, `nan` and `-nan`). A reply nested deeper than 1,000 levels
 * is an error. The calls of a coroutine count towards its caller's depth. There is no garbage
 * collection: weak tables are strong and `collectgarbage` measures nothing. Addresses are sequence
 * numbers, and they determine the order of keys that are tables or functions. An error table
 * without `err`, which crashes real Redis, replies with an empty message. Transcendental functions
 * may differ in their last digit.
 */
export { compileScript } from './compile-script.ts'
export type { CompiledScript, LuaCall, LuaHost } from './host.ts'
export { badName } from './lib/register-function.ts'
export { type LoadedFunction, loadLibrary } from './load-library.ts'
export { createLuaMemory, flushLuaMemory, type LuaMemory } from './memory.ts'
export { stepsOfByte } from './runtime/effort.ts'
