import type { CommandSpec } from './command-specs.ts'
import type { KeysAwaited } from './keyspace/waiters.ts'
import type { Reply } from './resp/reply.ts'
import type { Session } from './session.ts'

/** The command wrote what it had to write, or must not be answered (CLIENT REPLY OFF). */
export class NoReply {
  readonly noReply = true
}
export const noReply = new NoReply()

/**
 * The client waits: it is answered, and its next command runs, when the time is up or a key can
 * serve it.
 */
export class Blocking {
  /** `timeoutMs` 0 waits for ever. */
  constructor(
    readonly timeoutMs: number,
    readonly onTimeout: () => Reply,
    readonly keys: KeysAwaited | null = null,
    /**
     * Waits for something else: told how to answer, once the client waits; answers what ends the
     * waiting.
     */
    readonly begin: ((answer: (reply: Reply) => void) => () => void) | null = null,
  ) {}
}

/** CLIENT PAUSE: nothing was executed; the same command comes again. */
export class Postponed {
  readonly postponed = true
}
export const postponed = new Postponed()

/** Several replies to one command, one after the other: SUBSCRIBE and its kin. */
export class Several {
  constructor(readonly replies: readonly Reply[]) {}
}

/**
 * A reply whose bytes are settled: EXEC, when a HELLO within changed the protocol for what came
 * after it.
 */
export class Encoded {
  constructor(
    readonly reply: Reply,
    readonly bytes: string,
  ) {}
}

export type Answer = Reply | NoReply | Blocking | Encoded | Several

/** `args` holds the whole command, its name first; a handler never changes it. */
export type Handler = (session: Session, args: readonly string[]) => Answer

/**
 * One file of commands/ exports these: full name in lower case (a subcommand's with a bar) →
 * handler.
 */
export type Handlers = { readonly [fullName: string]: Handler }

/** The flags that decide how a command is dispatched; COMMAND prints all of them from the specs. */
export const flagBits = {
  write: 1,
  readonly: 2,
  noscript: 4,
  no_auth: 8,
  no_multi: 16,
  may_replicate: 32,
  allow_busy: 64,
  denyoom: 256,
  loading: 512,
  /**
   * Runs at once inside MULTI: EXEC, DISCARD, MULTI, WATCH, QUIT, RESET. Not one of Redis's own
   * flags.
   */
  immediate: 128,
  /** Allowed to a RESP2 client that subscribes. Not one of Redis's own flags. */
  subscriber: 1024,
  stale: 2048,
} as const

export interface Command extends Omit<CommandSpec, 'flags'> {
  readonly fullName: string
  readonly flags: number
  readonly flagNames: readonly string[]
  /** Undefined: real Redis knows it and the simulation does not. */
  readonly execute: Handler | undefined
  /** By name in lower case; undefined for a command without subcommands. */
  readonly subcommands: ReadonlyMap<string, Command> | undefined
}
