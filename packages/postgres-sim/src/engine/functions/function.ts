import type { Run, Running } from '../run.ts'
import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'

/** One entry of pg_proc: a function with one list of argument types. */
export interface SqlFunction {
  readonly name: string
  readonly args: readonly Type[]
  readonly result: Type
  /** True if the last argument may be repeated and may have any type. */
  readonly variadic?: boolean
  /** True if it is called with null arguments (not STRICT). */
  readonly takesNull?: boolean
  /** True if pg_proc lists the function as STABLE or VOLATILE. */
  readonly mutable?: boolean
  call(args: readonly Value[], run: Run, types: readonly Type[]): Value
}

/** A function that may wait. */
export interface WaitingFunction {
  readonly name: string
  readonly args: readonly Type[]
  readonly result: Type
  /** True if it is called with null arguments (not STRICT). */
  readonly takesNull?: boolean
  run(args: readonly Value[], run: Run): Running<Value>
}
