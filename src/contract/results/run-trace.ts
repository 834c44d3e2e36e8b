/**
 * The additional data of a traced run, from which its timeline is made: commands in flight, and
 * changes of keys, roles and clocks. Times are virtual microseconds since the run began, on the
 * clock of the simulation. `seq` is that of the last event of the history at that time; -1 before
 * the first event.
 */
import type { History, ProcessName } from '../api/history.ts'

/** A consumer's command on its way to a server and back. */
export interface CommandTrace {
  readonly process: ProcessName
  readonly node: string
  readonly label: string
  /** When the command left its process; if that was not observed, when it was executed. */
  readonly sentUs: number
  readonly executedUs: number | null
  /** `seq` of the history when the command was executed; null if it was not executed. */
  readonly seq: number | null
  readonly repliedUs: number | null
  /**
   * When it became known that the command or its reply would not arrive; null if the reply arrived,
   * or if this never became known.
   */
  readonly lostUs: number | null
  /**
   * The server rejected the command without executing it: the command cannot be parsed, or is
   * skipped after an earlier error.
   */
  readonly refused?: true
  /**
   * The scripts that the command ran: one, or for EXEC those that its transaction had queued.
   * Absent if there are none.
   */
  readonly ran?: readonly ScriptRun[]
}

/** A Lua script, or a library of functions, that was executed. */
export interface TracedScript {
  /**
   * For a script `the script acquire`, after the first word of its first comment, or `the script`
   * if it has no comment. For a function `the function claim`.
   */
  readonly name: string
  /** The whole source. */
  readonly body: string
  /** Lines at which a statement begins, from 1, ascending. */
  readonly statements: readonly number[]
}

/** One execution of a script. */
export interface ScriptRun {
  /** Index in `scripts` of the run trace. */
  readonly script: number
  /** Executed lines, ascending: those of statements, and of the conditions of an `elseif`. */
  readonly ran: readonly number[]
  /** The first Redis calls of the script, in order; `more` is the number of the other calls. */
  readonly calls: readonly { readonly line: number; readonly command: string; readonly reply: string }[]
  readonly more: number
}

export interface KeyChange {
  readonly atUs: number
  readonly seq: number
  readonly node: string
  readonly key: string
  /** The value, shortened; null if the key does not exist any more. */
  readonly value: string | null
  /**
   * When the key expires by the server's clock, in milliseconds since the Unix epoch; null if it
   * never expires.
   */
  readonly expireAtMs: number | null
  /**
   * Index of the consumer's command that changed the key; absent for replication, expiry or a
   * restart.
   */
  readonly by?: number
}

/** The role that a server believes it has. */
export type ServerRole = 'primary' | 'replica' | 'down'

export interface RoleChange {
  readonly atUs: number
  readonly seq: number
  readonly node: string
  readonly role: ServerRole
}

/**
 * A step of a failover, as a Sentinel publishes it. The primaries that Sentinels announce are in
 * the history.
 */
export interface SentinelWord {
  readonly atUs: number
  readonly seq: number
  readonly sentinel: string
  readonly what:
    | 'down'
    | 'up'
    | 'agreed-down'
    | 'stands'
    | 'votes'
    | 'leads'
    | 'chooses'
    | 'not-elected'
    | 'no-good-replica'
    | 'not-promoted'
    | 'demotes'
  /** The server that the step is about; for a vote, the Sentinel that gets the vote. */
  readonly about: string | null
}

/**
 * A process asked a Sentinel for the primary. `reported`: the name of the server that the Sentinel
 * returned, null if it returned none.
 */
export interface SentinelQuestion {
  readonly atUs: number
  readonly seq: number
  readonly sentinel: string
  readonly process: ProcessName
  readonly reported: string | null
}

/** A change of the wall clock of a machine. It applies until the next change. */
export interface ClockChange {
  readonly atUs: number
  /** A consumer slot, or a server. */
  readonly machine: string
  /** How far the wall clock is ahead of the clock of the simulation. */
  readonly aheadUs: number
  /** Microseconds of the wall clock in one second of simulated time; 0 if the clock is frozen. */
  readonly pace: number
}

export interface RunTrace {
  /** When the run began, in milliseconds since the Unix epoch on the clock of the simulation. */
  readonly beganMs: number
  readonly consumers: readonly string[]
  /** Redis servers; empty if the layer does not use Redis. */
  readonly servers: readonly string[]
  /** Names of the stores other than Redis. Only their commands are traced. */
  readonly stores: readonly string[]
  /**
   * True for a Cluster and for several independent servers, for which several primaries at once are
   * normal.
   */
  readonly hasSeveralPrimaries: boolean
  /** Names of Sentinels; empty if the deployment has none. */
  readonly sentinels: readonly string[]
  readonly words: readonly SentinelWord[]
  readonly questions: readonly SentinelQuestion[]
  readonly commands: readonly CommandTrace[]
  /** All scripts that were executed, each once. */
  readonly scripts: readonly TracedScript[]
  readonly keys: readonly KeyChange[]
  readonly roles: readonly RoleChange[]
  readonly clocks: readonly ClockChange[]
}

export interface TracedRun {
  readonly history: History
  readonly runTrace: RunTrace
}
