/** An adapter for Onceproof: the consumers that replace `old-set-nx.ts`, one by one. */
import { Redis } from 'ioredis'
import { defineImplementation } from 'onceproof'
import { adopt, createOnce } from 'onceproof/once'
import { answerOf } from './answer-of.ts'
import { runBesideOld } from './beside-old.ts'
import old, { markerOf } from './old-set-nx.ts'
import { setNxMarkers } from './set-nx-markers.ts'

export default defineImplementation({
  ...old,
  id: 'new-beside-set-nx',
  about: 'once, which takes the marker of the old consumers before the effect.',
  create({ redis, leaseMs, retentionMs, sink }) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})
    const once = createOnce({ redis: redis.options, replicas: 0, buckets: 1, leaseMs, retentionMs })
    const markers = setNxMarkers<Awaited<ReturnType<typeof sink.perform>>>(
      client,
      markerOf.prefix,
      markerOf.lifeOf(retentionMs),
    )
    // The operator's step, which old effects allow: new consumers see their markers.
    const adopted = adopt({ redis: redis.options, buckets: 1, since: 0 })
    return {
      async handle({ key, payload, producedAt }) {
        await adopted
        const message = { key, payload, producedAt }
        return answerOf(await runBesideOld(once, markers, message, () => sink.perform({ key, payload })), 3 * leaseMs)
      },
      close() {
        once.close()
        client.disconnect()
      },
    }
  },
})
