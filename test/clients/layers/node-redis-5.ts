import { createClient } from 'redis5'
import { markerLayer } from './marker.ts'

export default markerLayer('node-redis-5', async ({ url }) => {
  const client = createClient({ url })
  client.on('error', () => {})
  await client.connect()
  return {
    set: (...args) => client.set(...args),
    get: (key) => client.get(key),
    close: () => void client.destroy(),
  }
})
