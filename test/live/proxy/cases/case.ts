import type { FlowDirection } from '../../../../src/run/actions.ts'
import type { Bench } from '../bench.ts'

/** A property of every proxied link that live runs rely on. */
export interface Case {
  readonly name: string
  readonly about: 'connections' | 'cut' | 'disable' | 'close' | 'block' | 'slow' | 'reset' | 'forget' | 'reset one'
  /** The direction, if the case concerns only one. */
  readonly direction?: FlowDirection
  run(bench: Bench): Promise<void>
}

/** One case for each direction. */
export function inBothDirections(
  about: Case['about'],
  name: (direction: FlowDirection) => string,
  run: (bench: Bench, direction: FlowDirection) => Promise<void>,
): Case[] {
  return (['to-node', 'to-process'] as const).map((direction) => ({
    name: name(direction),
    about,
    direction,
    run: (bench) => run(bench, direction),
  }))
}
