import type { CommandSpec } from './command-specs.ts'
import type { KeysAwaited } from './keyspace/waiters.ts'
import type { Reply } from './resp/reply.ts'
import type { Session } from './session.ts'

/** No reply: the command already wrote its output, or must not be answered (CLIENT REPLY OFF). */
export class NoReply {
  readonly noReply = true
}
export const noReply = new NoReply()

/**
 * The answer of a command that blocks its client. The client is answered, and its next command
 * runs, when the timeout elapses or a key can serve it.
 */
export class Blocking {
  /** A `timeoutMs` of 0 blocks without a timeout. */
  constructor(
    readonly timeoutMs: number,
    readonly onTimeout: () => Reply,
    readonly keys: KeysAwaited | null = null,
    /**
     * Given for waits that do not depend on keys. Called when the client is blocked; receives the
     * function that answers the client, and returns the function that ends the wait.
     */
    readonly begin: ((answer: (reply: Reply) => void) => () => void) | null = null,
  ) {}
}

/** CLIENT PAUSE: the command was not executed and will be dispatched again. */
export class Postponed {
  readonly postponed = true
}
export const postponed = new Postponed()

/** Several replies to one command (SUBSCRIBE and similar). */
export class Several {
  constructor(readonly replies: readonly Reply[]) {}
}

/**
 * A reply that is already encoded. EXEC returns it if a HELLO in the transaction changed the
 * protocol of later replies.
 */
export class Encoded {
  constructor(
    readonly reply: Reply,
    readonly bytes: string,
  ) {}
}

export type Answer = Reply | NoReply | Blocking | Encoded | Several

/** `args` is the whole command, starting with its name. Handlers do not modify it. */
export type Handler = (session: Session, args: readonly string[]) => Answer

/**
 * The export of each file in commands/: maps the full name in lower case (`client|setname` for a
 * subcommand) to its handler.
 */
export type Handlers = { readonly [fullName: string]: Handler }

/** The flags that affect dispatch. COMMAND prints all flags from the specs. */
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
  /** Runs immediately inside MULTI: EXEC, DISCARD, MULTI, WATCH, QUIT, RESET. Not a Redis flag. */
  immediate: 128,
  /** Allowed for a subscribed RESP2 client. Not a Redis flag. */
  subscriber: 1024,
  stale: 2048,
} as const

export interface Command extends Omit<CommandSpec, 'flags'> {
  readonly fullName: string
  readonly flags: number
  readonly flagNames: readonly string[]
  /** Undefined if real Redis knows the command but the simulation does not. */
  readonly execute: Handler | undefined
  /** By name in lower case; undefined if the command has no subcommands. */
  readonly subcommands: ReadonlyMap<string, Command> | undefined
}
