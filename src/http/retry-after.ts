/**
 * How long the header `Retry-After` asks to wait, in milliseconds: whole seconds, or a date (RFC 9110, 10.2.3). 0 for a
 * text that is neither.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs)
}
