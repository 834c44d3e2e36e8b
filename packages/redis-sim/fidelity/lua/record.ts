/**
 * Records the replies of real Redis to the hand-written scripts, for tests without a server: `pnpm
 * exec tsx packages/redis-sim/fidelity/lua/record.ts >
 * packages/redis-sim/test/lua/real-replies.json`.
 */
import { connectTo } from '../redis-choice.ts'
import { handWrittenScripts } from './scripts.ts'

const redis = await connectTo(undefined)
if (redis.kind !== 'ready') throw new Error('no redis-server')
const replies: Record<string, string> = {}
for (const { name, body, keys, argv } of handWrittenScripts) {
  await redis.target.ask(['FLUSHALL'])
  // Lua's stack remains enlarged after an overflow, so SCRIPT FLUSH recreates the Lua state.
  await redis.target.ask(['SCRIPT', 'FLUSH'])
  replies[name] = await redis.target.ask(['EVAL', body, String(keys.length), ...keys, ...argv])
}
process.stdout.write(`${JSON.stringify(replies, null, 1)}\n`)
redis.target.close()
await redis.stop()
