const bigint = process.hrtime.bigint

/** Milliseconds on the clock that all processes of this machine share. No fault shifts it. */
export function monotonicMs(): number {
  return Number(bigint()) / 1e6
}
