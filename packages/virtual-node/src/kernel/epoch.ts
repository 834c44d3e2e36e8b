/**
 * The start of the wall clocks of every world: 2026-01-01T00:00:00Z, in milliseconds since the Unix
 * epoch.
 */
export const epochMs = 1_767_225_600_000
