/** Exit codes of the programs that compare a simulated server with a real one. */
export const exitCodes = { ok: 0, different: 1, usage: 2, serverGone: 3 } as const
