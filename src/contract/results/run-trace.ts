/**
 * The additional data of a traced run, from which its timeline is made: commands in flight, and
 * changes of keys, roles and clocks. Times are virtual microseconds since the run began, on the
 * clock of the simulation. `seq` is the number of the last event of the history by then; -1 before
 * the first one.
 */
import type { History, ProcessName } from '../api/history.ts'

/** A consumer's command on its way to a server and back. */
export interface CommandTrace {
  readonly process: ProcessName
  readonly node: string
  readonly label: string
  /** When it left its process; if that was not observed, when it was executed. */
  readonly sentUs: number
  readonly executedUs: number | null
  /** The event of its execution in the history. */
  readonly seq: number | null
  readonly repliedUs: number | null
  /**
   * When it was known that the command or its reply would not arrive; null if it arrived, or if
   * that was never known.
   */
  readonly lostUs: number | null
  /**
   * The server rejected it without executing it: it cannot be parsed, or is skipped after an
   * earlier error.
   */
  readonly refused?: true
  /**
   * The scripts that it ran: one, or those that its transaction had queued. Absent if there are
   * none.
   */
  readonly ran?: readonly ScriptRun[]
}

/** A Lua script, or a library of functions, that was executed. */
export interface TracedScript {
  /**
   * `the script acquire`, by the first word of its first comment; otherwise `the script`; `the
   * function claim` for a function.
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
  /** Its first Redis calls, in order; `more` is the number of the others. */
  readonly calls: readonly { readonly line: number; readonly command: string; readonly reply: string }[]
  readonly more: number
}

export interface KeyChange {
  readonly atUs: number
  readonly seq: number
  readonly node: string
  readonly key: string
  /** Shortened; null if the key is gone. */
  readonly value: string | null
  /** By the server's clock, in milliseconds since the Unix epoch; null if it never expires. */
  readonly expireAtMs: number | null
  /**
   * Index of the consumer's command that changed it; absent for replication, expiry or a restart.
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
 * A step of a failover, as a Sentinel publishes it. The primaries that it announces are in the
 * history.
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
  /** The server that it is about; for a vote, the Sentinel that gets it. */
  readonly about: string | null
}

/**
 * A process asked a Sentinel for the primary. `reported`: the server that the Sentinel named, null
 * if it named none.
 */
export interface SentinelQuestion {
  readonly atUs: number
  readonly seq: number
  readonly sentinel: string
  readonly process: ProcessName
  readonly reported: string | null
}

/** The wall clock of a machine behaves so until its next change. */
export interface ClockChange {
  readonly atUs: number
  /** A consumer slot, or a server. */
  readonly machine: string
  /** How far it is ahead of the clock of the simulation. */
  readonly aheadUs: number
  /** Its microseconds in one second of simulated time; 0 if it stands still. */
  readonly pace: number
}

export interface RunTrace {
  /** When the run began, in milliseconds since the Unix epoch on the clock of the simulation. */
  readonly beganMs: number
  readonly consumers: readonly string[]
  /** Redis servers; empty if the layer does not use Redis. */
  readonly servers: readonly string[]
  /** Names of the stores other than Redis. Of these, only the commands are traced. */
  readonly stores: readonly string[]
  /** A Cluster, or several independent servers: two primaries at once are normal. */
  readonly hasSeveralPrimaries: boolean
  /** Names of Sentinels; empty if the deployment has none. */
  readonly sentinels: readonly string[]
  readonly words: readonly SentinelWord[]
  readonly questions: readonly SentinelQuestion[]
  readonly commands: readonly CommandTrace[]
  /** Each once. */
  readonly scripts: readonly TracedScript[]
  readonly keys: readonly KeyChange[]
  readonly roles: readonly RoleChange[]
  readonly clocks: readonly ClockChange[]
}

export interface TracedRun {
  readonly history: History
  readonly runTrace: RunTrace
}
