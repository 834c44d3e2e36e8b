import type { Random } from 'test-servers'

/** A random command, drawn as often as its weight says among its kind. */
export type Template = readonly [weight: number, draw: (random: Random) => string[]]
