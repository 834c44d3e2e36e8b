/** Milliseconds on the clock that all processes of this machine share, and that no fault shifts. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
