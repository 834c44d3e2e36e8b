/**
 * 2026-01-01T00:00:00Z, in milliseconds since the Unix epoch: where every world's wall clocks
 * begin.
 */
export const epochMs = 1_767_225_600_000
