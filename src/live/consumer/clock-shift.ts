/** A `Date` that the harness shifts, for machines without libfaketime. What asks the kernel itself is not reached. */
import type { ClockShift } from '../clocks.ts'

let shift: ClockShift = { offsetMs: 0, frozenAtMs: null }

export function shiftDate(to: ClockShift): void {
  shift = to
}

export function installShiftedDate(): void {
  const RealDate = globalThis.Date
  const now = (): number => shift.frozenAtMs ?? RealDate.now() + Math.round(shift.offsetMs)
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  })
}
