import type { Operand, Path } from './operands.ts'
import { isReserved } from './reserved-words.ts'
import { pathsIn } from './walk.ts'

/**
 * The error for the first reserved word that a path contains literally; undefined if no path
 * contains one.
 */
export function reservedWord(paths: readonly Path[]): string | undefined {
  for (const { steps } of paths)
    for (const step of steps)
      if (typeof step !== 'number' && !step.token.startsWith('#') && isReserved(step.token))
        return `Attribute name is a reserved keyword; reserved keyword: ${step.token}`
  return undefined
}

export function undefinedName(paths: readonly Path[]): string | undefined {
  for (const { steps } of paths)
    for (const step of steps)
      if (typeof step !== 'number' && step.name === undefined)
        return `An expression attribute name used in the document path is not defined; attribute name: ${step.token}`
  return undefined
}

/** The error for the first placeholder in these operands that the request does not define. */
export function undefinedPlaceholder(parts: readonly Operand[]): string | undefined {
  for (const part of parts) {
    const name = undefinedName(pathsIn([part]))
    if (name !== undefined) return name
    if (part.kind === 'value' && part.value === undefined) return undefinedValue(part.token)
  }
  return undefined
}

export function undefinedValue(token: string): string {
  return `An expression attribute value used in expression is not defined; attribute value: ${token}`
}
