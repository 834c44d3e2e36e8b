/**
 * What a story about a deployment can do and see, on real processes and on simulated machines
 * alike.
 */

/** P: the first primary; R1, R2: its replicas; S1 to S3: the Sentinels. */
export type ServerName = 'P' | 'R1' | 'R2'
export type SentinelName = 'S1' | 'S2' | 'S3'
export type MachineName = ServerName | SentinelName

export const serverNames: readonly ServerName[] = ['P', 'R1', 'R2']
export const sentinelNames: readonly SentinelName[] = ['S1', 'S2', 'S3']

/** One event as a Sentinel published it, with names in place of addresses and ids. */
export interface Heard {
  /** Since the story began. */
  readonly atMs: number
  readonly by: SentinelName
  readonly type: string
  readonly message: string
}

export type Plain = string | number | null | readonly Plain[] | { readonly error: string }

export interface SentinelTestBed {
  /** As it was published; ids that are not known yet have no name. */
  readonly heard: readonly Heard[]
  /** The same with names, as far as they are known now. */
  named(): Heard[]
  nowMs(): number
  wait(ms: number): Promise<void>
  command(machine: MachineName, ...words: string[]): Promise<Plain>
  /** kill -9. */
  kill(machine: MachineName): Promise<void>
  /** Starts again what was killed, with the configuration that it had saved. */
  revive(machine: MachineName): Promise<void>
  /** SIGSTOP and SIGCONT. */
  pause(machine: MachineName): Promise<void>
  resume(machine: MachineName): Promise<void>
  /** @throws ServerGone where a real server had ended by itself */
  stop(): Promise<void>
}

/** How a deployment is made; the same on both sides. */
export interface Setting {
  readonly priorities?: Partial<Record<ServerName, number>>
  /** A server that begins as a primary of its own, which nobody watches. Absent: all follow P. */
  readonly apart?: ServerName
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
  readonly quorum: number
}

/** Waits until something was heard; an error that says so when it never is. */
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

/** Addresses and ids as they are on one side, each with its name. */
export type Names = ReadonlyMap<string, MachineName>

/** `text` with the name for every `host port`, `host:port` and id. */
export function withNames(text: string, names: Names): string {
  let named = text
  for (const [known, name] of names) named = named.replaceAll(known, name)
  return named
}
