import type { Random } from 'test-servers'

/** A random command, and its weight among the commands of the same kind. */
export type Template = readonly [weight: number, draw: (random: Random) => string[]]
