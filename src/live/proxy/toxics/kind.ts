import type { Chunk } from '../channel.ts'
import type { Behaviour, Pipe } from '../stage.ts'

/** A seeded source of numbers from 0 (included) to 1 (excluded). */
export type Random = () => number

/** One type of toxic. `Name` are its attributes, all of them integers that are 0 unless given. */
export interface ToxicKind<Name extends string = string> {
  readonly attributes: readonly Name[]
  /** Chunks that may wait before it; without it, the sender waits after the first. */
  readonly capacity?: number
  /** Links that are open when such a toxic is removed are closed. */
  readonly closesWhenRemoved?: boolean
  /** Connections that begin while such a toxic is there are closed by RST instead of FIN. */
  readonly resets?: boolean
  /** What it does to one link. What must outlive an update (a count) lives in here; attributes are read anew by each run. */
  join(attributes: Readonly<Record<Name, number>>, random: Random): Behaviour
}

/** Handles chunks until the end, which it passes on, or an interruption. */
export async function eachChunk(pipe: Pipe, handle: (chunk: Chunk) => Promise<void>): Promise<void> {
  for (;;) {
    const one = await pipe.take()
    if (one === 'end') return pipe.close()
    if (typeof one === 'string') return
    await handle(one)
  }
}

/** Passes everything on. */
export const pass: Behaviour = (pipe) => eachChunk(pipe, (chunk) => pipe.give(chunk))
