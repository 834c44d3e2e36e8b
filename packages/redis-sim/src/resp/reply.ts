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

/** A status reply, such as `+OK`. */
export class StatusReply {
  constructor(readonly status: string) {}
}
/**
 * An error reply, `-ERR …`. `message` begins with the error code, without the dash and the line
 * end.
 */
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
/** A map; `entries` alternates keys and values. In RESP2, it is sent as a flat array. */
export class MapReply {
  constructor(readonly entries: readonly Reply[]) {}
}
/** A set. In RESP2, it is sent as an array. */
export class SetReply {
  constructor(readonly members: readonly Reply[]) {}
}
/** A double. In RESP2, it is sent as a bulk string. `text` is the value in Redis's format. */
export class DoubleReply {
  constructor(
    readonly value: number,
    readonly text: string,
  ) {}
}
/** A boolean. In RESP2, it is sent as `:1` or `:0`. */
export class BooleanReply {
  constructor(readonly value: boolean) {}
}
/** Out-of-band data of RESP3. In RESP2, it is sent as an array. */
export class PushReply {
  constructor(readonly items: readonly Reply[]) {}
}
/** A text with its format. In RESP2, it is sent as a bulk string. */
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
