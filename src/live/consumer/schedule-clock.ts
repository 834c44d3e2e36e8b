/**
 * The clocks of a process whose run follows a schedule. They stand still at the schedule's time
 * while an order is carried out, as in the simulator. They also stand still while the run waits for
 * the machine, because such a wait must not look like a stall of the layer.
 */
import { performance } from 'node:perf_hooks'
import type { ProcessTime } from '../host/protocol.ts'
import { replaceDate } from './replace-date.ts'

let time: ProcessTime

export function setClocks(to: ProcessTime): void {
  time = to
}

/** Replaces the clocks. They start at the given time. */
export function installScheduleClocks(from: ProcessTime): void {
  time = from
  const realHrtime = process.hrtime.bigint()
  const realNow = performance.now()
  const passedMs = (): number => time.monotonicMs - from.monotonicMs
  replaceDate(() => Math.floor(time.wallMs))
  performance.now = () => realNow + passedMs()
  const nanoseconds = (): bigint => realHrtime + BigInt(Math.round(passedMs() * 1e6))
  const hrtime = (since?: readonly [number, number]): [number, number] => {
    const before = since === undefined ? 0n : BigInt(since[0]) * 1_000_000_000n + BigInt(since[1])
    const passed = nanoseconds() - before
    return [Number(passed / 1_000_000_000n), Number(passed % 1_000_000_000n)]
  }
  process.hrtime = Object.assign(hrtime, { bigint: nanoseconds })
}
