/** A native client. The simulator refuses it by name. */
import { GlideClient, TimeUnit } from '@valkey/valkey-glide'
import { markerLayer } from './marker.ts'

export default markerLayer('valkey-glide', async ({ nodes }) => {
  const client = await GlideClient.createClient({ addresses: [...nodes] })
  return {
    set: async (key, value, { NX, PX }) => {
      const expiry = { type: TimeUnit.Milliseconds, count: PX }
      const stored = await client.set(key, value, NX ? { expiry, conditionalSet: 'onlyIfDoesNotExist' } : { expiry })
      return stored as string | null
    },
    get: async (key) => (await client.get(key)) as string | null,
    close: () => client.close(),
  }
})
