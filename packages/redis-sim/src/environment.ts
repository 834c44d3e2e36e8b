import type { Command } from './command.ts'
import type { ErrorReply, Reply } from './resp/reply.ts'
import type { ScriptWatch } from './scripting/script-watch.ts'
import type { Wires } from './wires.ts'

/**
 * Everything that a simulated Redis server depends on. It provides all time, randomness and timers,
 * so the same server runs on the kernel (virtual time), behind a TCP port (real time) and in unit
 * tests (manual time).
 */
export interface RedisEnvironment {
  /** The server's clock, in integer microseconds since the Unix epoch. */
  nowUs(): number
  /**
   * A clock of the machine that never jumps, in microseconds. With this function, the server may
   * skip timers that would find nothing to do. The owner must then call `RedisServer.recheckTimers`
   * when the clock of `nowUs` jumps or the process is frozen.
   */
  monotonicUs?(): number
  /** A random integer in [0, n), for example for RANDOMKEY, SRANDMEMBER and run ids. */
  random(n: number): number
  /**
   * Runs the callback after a delay in microseconds of the server's clock. Returns the function
   * that cancels the timer. A `background` timer recurs while the server replicates and does not
   * count as pending work.
   */
  schedule(delayUs: number, callback: () => void, background?: boolean): () => void
  /** Called when a client used a feature that is not simulated. The run can then not pass. */
  unsupported(what: string): void
  /**
   * Called by SHUTDOWN: the process ends without a reply. Without this function, SHUTDOWN is not
   * simulated.
   */
  exit?: (() => void) | undefined
  /** Connections to other machines; undefined for a standalone server. */
  wires?: Wires | undefined
  /** Observes scripts line by line in a traced run. */
  readonly scriptWatch?: ScriptWatch | undefined
  /**
   * Called after each executed command: of a client, of EXEC's queue, of a script, or (on a
   * replica) of the primary.
   */
  ran?: ((command: Command, args: readonly string[]) => void) | undefined
  /** Called when the server notices that a key expired, usually when a command accesses the key. */
  expired?: ((key: string) => void) | undefined
  /**
   * Called when a replica applied more of its primary's replication stream. `attached` is true if
   * the stream has just begun.
   */
  replicated?: ((attached: boolean) => void) | undefined
  /**
   * Called when a replica replaced its data set by the one of its primary. `keys` are the keys that
   * the replica had before.
   */
  dataReplaced?: ((keys: readonly string[]) => void) | undefined
  /**
   * Called when a Cluster node processed a message or a timer, which may have changed its view of
   * the Cluster.
   */
  hadTurn?: (() => void) | undefined
  /** Called when a Cluster node became a primary or a replica. */
  roleChanged?: (() => void) | undefined
  /**
   * Called before each command is taken from a connection's queue. `drop` skips the command without
   * a reply; the caller then closes the connection. An error is sent instead of executing the
   * command.
   */
  beforeCommand?: ((connectionId: number, args: readonly string[]) => 'run' | 'drop' | ErrorReply) | undefined
  /**
   * Called after each client command, in order of execution, before its reply is written. For a
   * command queued in MULTI, `reply` is `+QUEUED`, and the command takes effect with EXEC. For a
   * blocking command, the call happens when the client is answered.
   */
  executed?: ((connectionId: number, args: readonly string[], reply: Reply) => void) | undefined
}
