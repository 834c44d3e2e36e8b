import type { Random } from 'test-servers'

/** Generates a random command. The weight is relative to the other templates of the same list. */
export type Template = readonly [weight: number, draw: (random: Random) => string[]]
