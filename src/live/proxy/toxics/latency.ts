import { eachChunk, type ToxicKind } from './kind.ts'

/**
 * Every chunk arrives `latency` ± `jitter` milliseconds after it was read, in order: delays do not add up while
 * chunks follow each other, since the next ones are read meanwhile.
 */
export const latency: ToxicKind<'latency' | 'jitter'> = {
  attributes: ['latency', 'jitter'],
  capacity: 1024,
  join: (attributes, random) => (pipe) =>
    eachChunk(pipe, async ({ bytes, at }) => {
      const jitterMs = attributes.jitter > 0 ? Math.floor(random() * 2 * attributes.jitter) - attributes.jitter : 0
      const dueAt = at + attributes.latency + jitterMs
      const slept = await pipe.sleep(dueAt - performance.now())
      await pipe.give({ bytes, at: slept ? dueAt : at })
    }),
}
