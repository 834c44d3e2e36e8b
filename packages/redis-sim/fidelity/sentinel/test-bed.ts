/** The environment in which a story is executed: real processes or simulated machines. */

/** P is the first primary, R1 and R2 are its replicas, S1 to S3 are the Sentinels. */
export type ServerName = 'P' | 'R1' | 'R2'
export type SentinelName = 'S1' | 'S2' | 'S3'
export type MachineName = ServerName | SentinelName

export const serverNames: readonly ServerName[] = ['P', 'R1', 'R2']
export const sentinelNames: readonly SentinelName[] = ['S1', 'S2', 'S3']

/** An event published by a Sentinel, with names instead of addresses and ids. */
export interface Heard {
  /** Milliseconds since the start of the story. */
  readonly atMs: number
  readonly by: SentinelName
  readonly type: string
  readonly message: string
}

export type Plain = string | number | null | readonly Plain[] | { readonly error: string }

export interface SentinelTestBed {
  /** Events as they were published. Ids that are not known yet are not replaced by names. */
  readonly heard: readonly Heard[]
  /** The same events, with all names that are known now. */
  named(): Heard[]
  nowMs(): number
  wait(ms: number): Promise<void>
  command(machine: MachineName, ...words: string[]): Promise<Plain>
  /** Kills the process with SIGKILL. */
  kill(machine: MachineName): Promise<void>
  /** Restarts a killed process with its saved configuration. */
  revive(machine: MachineName): Promise<void>
  /** Stops the process with SIGSTOP; `resume` continues it with SIGCONT. */
  pause(machine: MachineName): Promise<void>
  resume(machine: MachineName): Promise<void>
  /** @throws ServerGone if a real server has ended by itself */
  stop(): Promise<void>
}

/** The configuration of a deployment, the same on both sides. */
export interface Setting {
  readonly priorities?: Partial<Record<ServerName, number>>
  /**
   * A server that starts as a separate primary, which no Sentinel watches. If missing, R1 and R2
   * follow P.
   */
  readonly apart?: ServerName
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
  readonly quorum: number
}

/** Waits until a condition holds. After the timeout, throws an error that names the condition. */
export async function until(
  testBed: SentinelTestBed,
  what: string,
  holds: () => boolean,
  withinMs: number,
): Promise<void> {
  const deadline = testBed.nowMs() + withinMs
  while (!holds()) {
    if (testBed.nowMs() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`)
    await testBed.wait(10)
  }
}

/** Maps the addresses and ids of one side to names. */
export type Names = ReadonlyMap<string, MachineName>

/** Replaces every `host port`, `host:port` and id in `text` by its name. */
export function withNames(text: string, names: Names): string {
  let named = text
  for (const [known, name] of names) named = named.replaceAll(known, name)
  return named
}
