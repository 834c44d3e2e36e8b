/**
 * Enforces the border of the fast tier: a test may not start a process or open a socket, and a file
 * may take 5 s of CPU time. Other tests are `x.server.test.ts` or `x.long.test.ts`. The process of
 * esbuild, which compiles layers, is allowed.
 */
import { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll } from 'vitest'

const limitMs = 5000

type Functions = Record<string, (...args: unknown[]) => unknown>

function forbid(owner: object, names: readonly string[], allowed: (argument: unknown) => boolean): void {
  const functions = owner as Functions
  for (const name of names) {
    const real = functions[name]!
    functions[name] = function (this: unknown, ...args: unknown[]) {
      if (allowed(args[0])) return real.apply(this, args)
      throw new Error(`the fast tier has no processes and sockets (${name}): name the file x.server.test.ts`)
    }
  }
}

/** Node's internal handles: the simulator replaces the classes above them. */
function handles(binding: string, name: string): object {
  const { [name]: handle } = (
    process as unknown as { binding(of: string): Record<string, { prototype: object }> }
  ).binding(binding)
  return handle!.prototype
}

const once = globalThis as { fastTierIsGuarded?: boolean }
if (!once.fastTierIsGuarded) {
  once.fastTierIsGuarded = true
  const isCompiler = (options: unknown) => /esbuild/.test(String((options as { file?: unknown }).file))
  forbid(ChildProcess.prototype, ['spawn'], isCompiler)
  for (const [binding, name] of [
    ['tcp_wrap', 'TCP'],
    ['pipe_wrap', 'Pipe'],
  ] as const)
    forbid(handles(binding, name), ['listen', 'connect'], () => false)
}

/** CPU time in milliseconds. */
function timed(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function shiftBits(): number {
  let bits = 1
  for (let times = 0; times < 60_000_000; times++) {
    bits ^= bits << 13
    bits ^= bits >>> 17
    bits ^= bits << 5
  }
  return bits
}

function makeObjects(): number {
  let length = 0
  for (let round = 0; round < 40; round++) {
    const made = new Map<string, unknown>()
    for (let at = 0; at < 5000; at++) made.set(`key ${at} of ${round}`, { at, round, list: [at, round] })
    length += JSON.stringify([...made.values()]).length
  }
  return length
}

/** The times in milliseconds on a processor with 2.8 GHz, for which the limit is meant. */
const usualMs = { shiftBits: 120, makeObjects: 140 }

/**
 * The same work takes twice the CPU time on a slower processor, or if others share its caches. The
 * second kind slows down only work on memory.
 */
function slowness(): number {
  makeObjects()
  return Math.max(1, timed(shiftBits) / usualMs.shiftBits, timed(makeObjects) / usualMs.makeObjects)
}

let began = process.cpuUsage()
beforeAll(() => void (began = process.cpuUsage()))
afterAll(() => {
  const { user, system } = process.cpuUsage(began)
  const tookMs = (user + system) / 1000
  if (tookMs <= limitMs) return
  const slower = slowness()
  if (tookMs > limitMs * slower)
    throw new Error(`this file took ${(tookMs / slower / 1000).toFixed(1)} s of the fast tier's 5 s`)
})
