/**
 * The contract suite as a command: `pnpm exec tsx test/live/proxy/contract.ts [--server <url>] [name…]`.
 *
 * Without `--server` it is put to the built-in proxy; with it, to that server, which must be able to reach loopback
 * of this machine (as Toxiproxy does on it, or in a container of the host's network), and which it resets: give it one
 * of its own. Words after the options choose the cases whose name has them. Exit 1 when a case fails, 2 when it could
 * not begin.
 */
import { parseArgs } from 'node:util'
import { startProxyServer } from '../../../src/live/proxy/server.ts'
import { RealServer, realRedisInstalled } from '../../sim/redis/real-server.ts'
import { Bench } from './bench.ts'
import { cases } from './cases/index.ts'
import { seeded } from './seeded.ts'

const { values, positionals } = parseArgs({ options: { server: { type: 'string' } }, allowPositionals: true })

function giveUp(why: string): never {
  console.error(why)
  process.exit(2)
}

if (!realRedisInstalled) giveUp('no redis-server on the path: install Debian’s redis-server')
const builtIn = values.server === undefined ? await startProxyServer({ port: 0, random: seeded(1) }) : null
const url = (builtIn?.url ?? values.server)!.replace(/\/$/, '')
const version = await fetch(`${url}/version`).then(
  (response) => response.text(),
  () => null,
)
if (version === null)
  giveUp(`${url}: nothing answers there; start toxiproxy-server, or leave --server out for the built-in proxy`)
console.log(`${builtIn === null ? url : 'the built-in proxy'}: ${version.trim()}`)

const redis = await RealServer.start()
let failed = 0
const chosen = cases.filter(({ name }) => positionals.every((word) => name.includes(word)))
for (const { name, cites, run } of chosen) {
  const bench = new Bench(url, redis.port)
  try {
    await run(bench)
    console.log(`ok      ${name}`)
  } catch (error) {
    failed++
    console.log(
      `FAILED  ${name}\n        ${cites}\n        ${String((error as Error).message).replaceAll('\n', '\n        ')}`,
    )
  }
  await bench.end()
}
await redis.stop()
await builtIn?.close()
console.log(`${chosen.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
