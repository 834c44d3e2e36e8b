/**
 * What a traced run gives beside its history, for the picture of it: commands in flight, keys,
 * roles and clocks as they changed. Times are virtual microseconds since the run began, on the
 * world's own clock. `seq` is the number of the last event of the history by then, -1 before the
 * first one.
 */
import type { History, ProcessName } from '../api/history.ts'

/** A consumer's command on its way to a server and back. */
export interface CommandTrace {
  readonly process: ProcessName
  readonly node: string
  readonly label: string
  /** When it left its process; when it was executed, where nobody saw it leave. */
  readonly sentUs: number
  readonly executedUs: number | null
  /** The history's event of its execution. */
  readonly seq: number | null
  readonly repliedUs: number | null
  /**
   * When it was known that it will not arrive, or its reply; null where it arrived, or where nobody
   * ever knew.
   */
  readonly lostUs: number | null
  /**
   * It was never executed, and its server said so: a statement that cannot be parsed, and what is
   * skipped after it.
   */
  readonly refused?: true
  /**
   * The scripts that it ran: one, or those that its transaction had queued. Absent where there are
   * none.
   */
  readonly ran?: readonly ScriptRun[]
}

/** A Lua script, or a library of functions, that was executed. */
export interface TracedScript {
  /**
   * `the script acquire`, by the first word of its first comment; `the script`; `the function
   * claim`.
   */
  readonly name: string
  /** In full. */
  readonly body: string
  /** Lines at which a statement begins, from 1, ascending. */
  readonly statements: readonly number[]
}

/** One execution of one of them. */
export interface ScriptRun {
  /** Index of the script. */
  readonly script: number
  /** Lines of statements, and of the conditions of an `elseif`, that were executed; ascending. */
  readonly ran: readonly number[]
  /** What it asked of Redis, in order: the first of them, and how many more there were. */
  readonly calls: readonly { readonly line: number; readonly command: string; readonly reply: string }[]
  readonly more: number
}

export interface KeyChange {
  readonly atUs: number
  readonly seq: number
  readonly node: string
  readonly key: string
  /** Shortened; null where the key is gone. */
  readonly value: string | null
  /** By the server's clock, since the Unix epoch; null for ever. */
  readonly expireAtMs: number | null
  /**
   * Index of the command that did it; absent where none of a consumer's did: replication, expiry, a
   * restart.
   */
  readonly by?: number
}

/** What a server takes itself for. */
export type ServerRole = 'primary' | 'replica' | 'down'

export interface RoleChange {
  readonly atUs: number
  readonly seq: number
  readonly node: string
  readonly role: ServerRole
}

/**
 * A Sentinel's step of a failover, as it publishes it. What it announces as the primary is in the
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
  /** The machine that it is about: for a vote, the Sentinel that has it. */
  readonly about: string | null
}

/** A process asked a Sentinel for the primary; `told`: which server it was told, null for none. */
export interface SentinelQuestion {
  readonly atUs: number
  readonly seq: number
  readonly sentinel: string
  readonly process: ProcessName
  readonly reported: string | null
}

/** From here on a machine's wall clock goes so, until its next change. */
export interface ClockChange {
  readonly atUs: number
  /** A consumer slot, or a server. */
  readonly machine: string
  /** How far its clock is ahead of the world's. */
  readonly aheadUs: number
  /** Microseconds of it in one second of the world's; 0 where it stands still. */
  readonly pace: number
}

export interface RunTrace {
  /** When the run began, by the world's clock: milliseconds since the Unix epoch. */
  readonly beganMs: number
  readonly consumers: readonly string[]
  /** Of Redis; none where the layer has none. */
  readonly servers: readonly string[]
  /** Names of the stores beside Redis, of which it has the commands and nothing else. */
  readonly stores: readonly string[]
  /** A Cluster, or several independent servers: two primaries at once are as it should be. */
  readonly hasSeveralPrimaries: boolean
  /** Names of Sentinels; none where the deployment has none. */
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
