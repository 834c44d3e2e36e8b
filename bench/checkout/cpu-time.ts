export interface Spent {
  /** User and system time of the whole process. */
  readonly cpuMs: number
  readonly wallMs: number
}

/** Measures a piece of work. On a shared machine, only CPU time is comparable. */
export async function cpuMsOf(work: () => Promise<void>): Promise<Spent> {
  const cpu = process.cpuUsage()
  const start = process.hrtime.bigint()
  await work()
  const wallMs = Number(process.hrtime.bigint() - start) / 1e6
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1000, wallMs }
}
