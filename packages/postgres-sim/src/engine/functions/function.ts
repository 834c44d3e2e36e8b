import type { Run, Running } from '../run.ts'
import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'

/** One function of pg_proc, for one list of argument types. */
export interface SqlFunction {
  readonly name: string
  readonly args: readonly Type[]
  readonly result: Type
  /** The last argument may come any number of times, and be of any type. */
  readonly variadic?: boolean
  /** It is called although an argument is null. */
  readonly takesNull?: boolean
  /** STABLE or VOLATILE in pg_proc, not IMMUTABLE. */
  readonly mutable?: boolean
  call(args: readonly Value[], run: Run, types: readonly Type[]): Value
}

/** A function that may wait. */
export interface WaitingFunction {
  readonly name: string
  readonly args: readonly Type[]
  readonly result: Type
  /** It is called although an argument is null. */
  readonly takesNull?: boolean
  run(args: readonly Value[], run: Run): Running<Value>
}
