const bigint = process.hrtime.bigint

/** Milliseconds on the clock that all processes of this machine share, and that no fault shifts. */
export function monotonicMs(): number {
  return Number(bigint()) / 1e6
}
