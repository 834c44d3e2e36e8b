import type { Random } from 'test-servers'

/** Generates a random command. The weight counts among the commands of the same kind. */
export type Template = readonly [weight: number, draw: (random: Random) => string[]]
