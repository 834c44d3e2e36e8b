/**
 * PUBLISH and PUBSUB. Subscribing is only tested in hand-written sequences, because push messages
 * may arrive on one connection while the comparison awaits a reply on another.
 */
import type { Template } from './template.ts'
import { key, many, value } from './vocabulary.ts'

export const pubsubTemplates: readonly Template[] = [
  [2, (r) => [r.pick(['PUBLISH', 'SPUBLISH']), key(r), value(r)]],
  [
    2,
    (r) => [
      'PUBSUB',
      r.pick(['CHANNELS', 'NUMSUB', 'NUMPAT', 'SHARDCHANNELS', 'shardnumsub', 'nope']),
      ...many(r, 0, 2, () => [key(r)]),
    ],
  ],
  [
    1,
    (r) => [
      'FUNCTION',
      r.pick(['FLUSH', 'LIST', 'DELETE', 'KILL', 'STATS']),
      ...many(r, 0, 2, () => [r.pick(['ASYNC', 'LIBRARYNAME', 'WITHCODE', 'x'])]),
    ],
  ],
  [1, (r) => ['FCALL', 'f', r.pick(['0', '1', 'x']), key(r)]],
  [
    1,
    (r) => [
      'CLIENT',
      r.pick(['UNBLOCK', 'TRACKINGINFO', 'CACHING']),
      ...many(r, 0, 2, () => [r.pick(['999999', 'x', 'yes', 'ERROR'])]),
    ],
  ],
]
