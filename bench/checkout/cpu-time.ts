export interface Spent {
  /** User and system time of the whole process. */
  readonly cpuMs: number
  readonly wallMs: number
}

/** What a piece of work takes. CPU time is what can be compared on a machine that others use. */
export async function cpuMsOf(work: () => Promise<void>): Promise<Spent> {
  const cpu = process.cpuUsage()
  const start = process.hrtime.bigint()
  await work()
  const wallMs = Number(process.hrtime.bigint() - start) / 1e6
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1000, wallMs }
}
