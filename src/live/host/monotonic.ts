const bigint = process.hrtime.bigint

/** Milliseconds by a clock that all processes of this machine share. Faults do not shift it. */
export function monotonicMs(): number {
  return Number(bigint()) / 1e6
}
