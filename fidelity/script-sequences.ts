import type { Sequence } from './step.ts'

/** Lua scripts, hand-written and generated, each on servers of its own. */
export function* scriptSequences(_seed: number, _count: number): Generator<Sequence> {}
