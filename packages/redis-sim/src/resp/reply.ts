/**
 * A Redis reply before it is encoded: what commands answer, what `redis.call` gives to a script and
 * what a script gives back. Strings are byte strings: every JavaScript character is one byte (0 to
 * 255, "latin1").
 *
 * number: an integer reply (64-bit values that a double cannot hold are `bigint`) · string: a bulk
 * string · null: the null bulk string (`$-1`, RESP3 `_`) · `nullArray`: `*-1` (RESP3 `_`) · array:
 * an array.
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

/** `+OK`. */
export class StatusReply {
  constructor(readonly status: string) {}
}
/** `-ERR …`; `message` begins with the code and has neither the dash nor the line end. */
export class ErrorReply {
  constructor(
    readonly message: string,
    /** It was counted where a script's command answered it (INFO errorstats). */
    readonly counted = false,
  ) {}
}
export class NullArrayReply {
  readonly nullArray = true
}
/** Entries in order, keys and values alternating. In RESP2 a flat array. */
export class MapReply {
  constructor(readonly entries: readonly Reply[]) {}
}
/** In RESP2 an array. */
export class SetReply {
  constructor(readonly members: readonly Reply[]) {}
}
/** In RESP2 a bulk string. `text` is what Redis prints, so that no formatting is done twice. */
export class DoubleReply {
  constructor(
    readonly value: number,
    readonly text: string,
  ) {}
}
/** In RESP2 `:1` and `:0`. */
export class BooleanReply {
  constructor(readonly value: boolean) {}
}
/** RESP3 out-of-band data; in RESP2 an array. */
export class PushReply {
  constructor(readonly items: readonly Reply[]) {}
}
/** In RESP2 a bulk string. */
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
