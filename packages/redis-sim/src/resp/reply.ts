/**
 * A Redis reply before it is encoded: the result of a command, of `redis.call`, and of a script.
 * Strings are byte strings: every JavaScript character is one byte (0 to 255, "latin1").
 *
 * number: an integer reply (64-bit values that a double cannot represent are `bigint`) · string: a
 * bulk string · null: the null bulk string (`$-1`, RESP3 `_`) · `nullArray`: `*-1` (RESP3 `_`) ·
 * array: an array.
 */
export type Reply =
  | number
  | bigint
  | string
  | null
  | readonly Reply[]
  | StatusReply
  | ErrorReply
  | NullArrayReply
  | MapReply
  | SetReply
  | DoubleReply
  | BooleanReply
  | PushReply
  | VerbatimReply
  | BigNumberReply

/** `+OK` and similar. */
export class StatusReply {
  constructor(readonly status: string) {}
}
/** `-ERR …`. `message` begins with the error code, without the dash and the line end. */
export class ErrorReply {
  constructor(
    readonly message: string,
    /** True if the error was already counted (INFO errorstats) for the command of a script. */
    readonly counted = false,
  ) {}
}
export class NullArrayReply {
  readonly nullArray = true
}
/** Alternating keys and values. A flat array in RESP2. */
export class MapReply {
  constructor(readonly entries: readonly Reply[]) {}
}
/** An array in RESP2. */
export class SetReply {
  constructor(readonly members: readonly Reply[]) {}
}
/** A bulk string in RESP2. `text` is Redis's format of the value, so it is formatted only once. */
export class DoubleReply {
  constructor(
    readonly value: number,
    readonly text: string,
  ) {}
}
/** `:1` and `:0` in RESP2. */
export class BooleanReply {
  constructor(readonly value: boolean) {}
}
/** RESP3 out-of-band data; an array in RESP2. */
export class PushReply {
  constructor(readonly items: readonly Reply[]) {}
}
/** A bulk string in RESP2. */
export class VerbatimReply {
  constructor(
    readonly format: 'txt' | 'mkd',
    private readonly written: string,
  ) {}

  get text(): string {
    return this.written
  }
}
export class BigNumberReply {
  constructor(readonly digits: string) {}
}

export const OK = new StatusReply('OK')
export const QUEUED = new StatusReply('QUEUED')
export const nullArray = new NullArrayReply()
