/**
 * Article 001, third pattern as in 001-lua-server-time.ts, with the delay of its NACK: a message
 * whose key is held is redelivered after a short delay, not as soon as the broker can.
 *
 * Decided here, because the article gives no number: 5 seconds.
 */
import { luaServerTime } from '../articles/001-lua-server-time.ts'

export default luaServerTime({
  id: '001-lua-server-time-delayed',
  about: 'The script of 001-lua-server-time, and a NACK with a delay of 5 s (article 001, "for a short delay").',
  failed: (client, name) => client.del(name),
  afterMs: 5000,
})
