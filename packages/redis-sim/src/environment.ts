import type { Command } from './command.ts'
import type { ErrorReply, Reply } from './resp/reply.ts'
import type { ScriptWatch } from './scripting/script-watch.ts'
import type { Wires } from './wires.ts'

/**
 * What a simulated Redis server stands on. All of its time, chance and waiting comes from here, so
 * that one server serves the kernel (virtual time), the TCP command (real time) and unit tests
 * (time by hand) alike.
 */
export interface RedisEnvironment {
  /** The server's own clock, in integer microseconds since the Unix epoch. */
  nowUs(): number
  /**
   * A clock of the machine's that never jumps, in microseconds. Where it is there, timers that
   * would find nothing to do may be passed over: call `RedisServer.recheckTimers` when the other
   * clock jumps or its process stands still.
   */
  monotonicUs?(): number
  /** An integer in [0, n): RANDOMKEY, eviction sampling, run ids. */
  random(n: number): number
  /**
   * Calls back after a delay in the server's own microseconds; returns what cancels it.
   * `background`: it recurs for as long as the server replicates, and says nothing of work that is
   * left to be done.
   */
  schedule(delayUs: number, callback: () => void, background?: boolean): () => void
  /** A command that is not simulated was asked for: the run's verdict can be no pass. */
  unsupported(what: string): void
  /**
   * SHUTDOWN: the server's process ends, and answers nobody. Where it is missing, the command is
   * not simulated.
   */
  exit?: (() => void) | undefined
  /** Connections to other machines; undefined where the server stands alone. */
  wires?: Wires | undefined
  /** What looks at scripts line by line, where a run is traced. */
  readonly scriptWatch?: ScriptWatch | undefined
  /**
   * A command was executed, be it a client's, one that EXEC had queued, a script's, or, by a
   * replica, its primary's.
   */
  ran?: ((command: Command, args: readonly string[]) => void) | undefined
  /**
   * A key is gone because its time was up. Called when that is noticed, which is when a command
   * touches it.
   */
  expired?: ((key: string) => void) | undefined
  /**
   * A replica has more of its primary's history than before. `attached`: the stream of it has just
   * begun.
   */
  replicated?: ((attached: boolean) => void) | undefined
  /** A replica drops its data set for its primary's: the keys that it had. */
  dataReplaced?: ((keys: readonly string[]) => void) | undefined
  /** A node of a Cluster has had a turn, by which it may have learned something. */
  hadTurn?: (() => void) | undefined
  /** A node of a Cluster has become a primary, or a replica. */
  roleChanged?: (() => void) | undefined
  /**
   * Before each command that is taken from a connection's queue. `drop`: it is never executed and
   * never answered, and the caller is expected to close the connection. An error is answered in
   * place of executing it.
   */
  beforeCommand?: ((connectionId: number, args: readonly string[]) => 'run' | 'drop' | ErrorReply) | undefined
  /**
   * After each command of a client, in order of execution, before its reply is written. A command
   * that was queued in MULTI comes with `+QUEUED`, and its effect with EXEC; a command that blocks
   * comes when it is answered.
   */
  executed?: ((connectionId: number, args: readonly string[], reply: Reply) => void) | undefined
}
