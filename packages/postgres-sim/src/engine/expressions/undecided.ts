import { SqlError } from '../sql-error.ts'
import type { Expression } from './expression.ts'

/** The error if the result type depends on an argument that has no type. */
export function untypedArgument(): SqlError {
  return new SqlError('42804', 'could not determine polymorphic type because input has type unknown')
}

/** The error if several functions of this name accept the untyped arguments. */
export function notUnique(name: string, args: readonly Expression[], position: number): SqlError {
  return new SqlError('42725', `function ${name}(${args.map(({ type }) => type.title).join(', ')}) is not unique`, {
    hint: 'Could not choose a best candidate function. You might need to add explicit type casts.',
    position,
  })
}
