/** What a link requests from Toxiproxy. The contract checks the effects in Toxiproxy. */
import net from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Toxiproxy } from '../../../src/live/proxy/toxiproxy.ts'
import type { ToxiproxyLink } from '../../../src/live/proxy/toxiproxy-link.ts'
import { startStandIn } from '../toxiproxy-stand-in.ts'

let toxiproxy: Awaited<ReturnType<typeof startStandIn>>
let link: ToxiproxyLink

beforeEach(async () => {
  toxiproxy = await startStandIn()
  link = await new Toxiproxy(toxiproxy.url, { about: '' }).openLink('one', { host: '127.0.0.1', port: 1 })
  toxiproxy.asked.length = 0
})
afterEach(() => toxiproxy.close())

const toxic = (name: string, type: string, stream: string, attributes: object) =>
  `POST /proxies/one/toxics ${JSON.stringify({ name, type, stream, toxicity: 1, attributes })}`

it('a block is one endless latency for any number of faults, and ends with the last one', async () => {
  await Promise.all([link.block('to-node'), link.block('to-node'), link.block('to-process')])
  await Promise.all([link.unblock('to-node'), link.unblock('to-node')])
  expect(toxiproxy.asked).toEqual([
    toxic('blocked-to-node', 'latency', 'upstream', { latency: 100_000_000, jitter: 0 }),
    toxic('blocked-to-process', 'latency', 'downstream', { latency: 100_000_000, jitter: 0 }),
    'DELETE /proxies/one/toxics/blocked-to-node',
  ])
})

it('a slow link has one latency in each direction, which is replaced as faults come and go', async () => {
  await Promise.all([link.slow(100), link.slow(50)])
  await Promise.all([link.slow(-100), link.slow(-50)])
  const slow = (latency: number) => [
    toxic('slow-to-node', 'latency', 'upstream', { latency, jitter: 0 }),
    toxic('slow-to-process', 'latency', 'downstream', { latency, jitter: 0 }),
  ]
  const gone = ['DELETE /proxies/one/toxics/slow-to-node', 'DELETE /proxies/one/toxics/slow-to-process']
  const replaced = (latency: number) => slow(latency).flatMap((added, at) => [gone[at], added])
  expect(toxiproxy.asked).toEqual([...slow(100), ...replaced(150), ...replaced(50), ...gone])
})

it('a reset is one reset_peer until every fault has undone it, each once', async () => {
  const [first, second] = [await link.resetNext('to-process'), await link.resetNext('to-process')]
  await first()
  await first()
  expect(toxiproxy.asked).toEqual([toxic('reset-to-process', 'reset_peer', 'downstream', { timeout: 0 })])
  await second()
  expect(toxiproxy.asked.slice(1)).toEqual(['DELETE /proxies/one/toxics/reset-to-process'])
})

it('a cut disables and enables the proxy on its port', async () => {
  await link.cut()
  const update = (enabled: boolean) =>
    `POST /proxies/one ${JSON.stringify({ listen: `127.0.0.1:${link.port}`, upstream: '127.0.0.1:1', enabled })}`
  expect(toxiproxy.asked).toEqual([update(false), update(true)])
})

it('closing a link deletes its proxy, and a closed Toxiproxy is not alive', async () => {
  const proxy = new Toxiproxy(toxiproxy.url, { about: '' })
  expect(await proxy.isAlive()).toBe(true)
  await link.close()
  expect(toxiproxy.asked).toEqual(['DELETE /proxies/one'])
  const left = net.connect(link.port, '127.0.0.1')
  expect(await new Promise((resolve) => left.on('error', (error) => resolve(error.message)))).toMatch(/ECONNREFUSED/)
  await toxiproxy.close()
  expect(await proxy.isAlive()).toBe(false)
  await expect(proxy.openLink('two', { host: '127.0.0.1', port: 1 })).rejects.toThrow(
    /^the proxy: it refused a listener/,
  )
})

it('a refused change is reported in the words of Toxiproxy', async () => {
  await link.close()
  await expect(link.block('to-node')).rejects.toThrow(/^the proxy: it refused to change a link \(.*404/)
})
