/**
 * The exit codes of commands. If several of them apply, 3 takes precedence, then 1, then 4, then 0.
 */
export const exitCodes = { ok: 0, violated: 1, usage: 2, harness: 3, unknown: 4, interrupted: 130 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
