import type { Direction } from '../../../../src/live/link.ts'
import type { Bench } from '../bench.ts'

/** Something that live runs rely on, of every proxied link. */
export interface Case {
  readonly name: string
  readonly about: 'connections' | 'block' | 'slow' | 'reset'
  /** Where it is put to one direction. */
  readonly direction?: Direction
  run(sentinels: Bench): Promise<void>
}

/** A case for each direction. */
export function inBothDirections(
  about: Case['about'],
  name: (direction: Direction) => string,
  run: (sentinels: Bench, direction: Direction) => Promise<void>,
): Case[] {
  return (['to-node', 'to-process'] as const).map((direction) => ({
    name: name(direction),
    about,
    direction,
    run: (sentinels) => run(sentinels, direction),
  }))
}
