import { inspect } from 'node:util'

/** A wrong value as a message shows it: in one line, and cut. */
export function shown(value: unknown): string {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 40 })
}
