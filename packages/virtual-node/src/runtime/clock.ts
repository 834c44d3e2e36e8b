import { performance } from 'node:perf_hooks'
import { caller } from './current.ts'
import { parseAsUtc } from './node/zone.ts'
import { real } from './real.ts'

/**
 * `Date`, `performance.now` and `process.hrtime` follow the clock of the process in whose turn they
 * are called. Local time is UTC (`node/zone.ts`).
 */
function nowMs(): number {
  return caller()?.wallMs() ?? real.Date.now()
}

function VirtualDate(this: unknown, ...args: unknown[]): unknown {
  if (new.target === undefined) return new real.Date(nowMs()).toString()
  if (args.length === 0) return Reflect.construct(real.Date, [nowMs()], new.target)
  return Reflect.construct(real.Date, caller() === null ? args : inUtc(args), new.target)
}

/** Local time is UTC in a process. */
function inUtc(args: unknown[]): unknown[] {
  if (args.length > 1) return [Reflect.apply(real.Date.UTC, real.Date, args)]
  const [text] = args
  return typeof text === 'string' || text instanceof String ? [parseAsUtc(String(text))] : args
}

function parse(text: unknown): number {
  return caller() === null ? real.Date.parse(text as string) : parseAsUtc(String(text))
}

export function installClock(): void {
  VirtualDate.prototype = real.Date.prototype
  Object.defineProperty(VirtualDate, 'name', { value: 'Date' })
  Object.defineProperty(VirtualDate, 'length', { value: 7 })
  Object.assign(VirtualDate, { now: nowMs, parse, UTC: real.Date.UTC })
  real.Date.prototype.constructor = VirtualDate as unknown as DateConstructor
  globalThis.Date = VirtualDate as unknown as DateConstructor

  const realNow = performance.now.bind(performance)
  Object.defineProperty(performance, 'now', {
    value: () => {
      const process = caller()
      return process === null ? realNow() : process.monotonicUs() / 1000
    },
    writable: true,
    configurable: true,
  })
  const realOrigin = performance.timeOrigin
  Object.defineProperty(performance, 'timeOrigin', {
    get: () => caller()?.startedMs() ?? realOrigin,
    configurable: true,
  })
  installHrtime()
}

function installHrtime(): void {
  const hrtime = (previous?: [number, number]): [number, number] => {
    const process = caller()
    if (process === null) return real.hrtime(previous)
    const us = process.monotonicUs()
    let seconds = Math.floor(us / 1_000_000)
    let nanos = (us % 1_000_000) * 1000
    if (previous !== undefined) {
      seconds -= previous[0]
      nanos -= previous[1]
      if (nanos < 0) {
        seconds--
        nanos += 1_000_000_000
      }
    }
    return [seconds, nanos]
  }
  const bigint = (): bigint => {
    const process = caller()
    return process === null ? real.hrtime.bigint() : BigInt(process.monotonicUs()) * 1000n
  }
  process.hrtime = Object.assign(hrtime, { bigint })
}
