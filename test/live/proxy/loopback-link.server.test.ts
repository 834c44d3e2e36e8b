/** Properties of links through this process beyond the contract, in which Toxiproxy differs. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LoopbackProxy } from '../../../src/live/proxy/loopback-proxy.ts'
import type { FlowDirection } from '../../../src/run/actions.ts'
import { Bench, type Ends, ends, type LinkToNode } from './bench.ts'

const proxy = new LoopbackProxy()
let bench: Bench
let link: LinkToNode['link']
let both: Ends
let connect: LinkToNode['connect']

beforeEach(async () => {
  bench = new Bench((name, to) => proxy.openLink(name, to))
  ;({ link, connect } = await bench.link())
  both = await connect()
})
afterEach(() => bench.end())

const eachDirection: readonly FlowDirection[] = ['to-node', 'to-process']

it.each(eachDirection)('the end of a stream %s leaves the other direction open', async (direction) => {
  const { sender, receiver } = ends(both, direction)
  sender.socket.end('that is all')
  expect(await receiver.end()).toBe('FIN')
  expect(receiver.text).toBe('that is all')
  receiver.send('and so?')
  expect(await sender.receive(7)).toBe('and so?')
  receiver.socket.end()
  expect(await sender.end()).toBe('FIN')
})

it.each(eachDirection)('the end of a stream waits behind blocked bytes %s', async (direction) => {
  const { sender, receiver } = ends(both, direction)
  await link.block(direction)
  sender.socket.end('that is all')
  await bench.settle()
  expect([receiver.text, receiver.isOpen]).toEqual(['', true])
  await link.unblock(direction)
  expect(await receiver.end()).toBe('FIN')
  expect(receiver.text).toBe('that is all')
})

it.each(eachDirection)(
  'a reset by the end that sends %s reaches the other end once the link is unblocked',
  async (direction) => {
    const { sender, receiver } = ends(both, direction)
    // The proxy knows both ends now.
    receiver.send('there')
    await sender.receive(5)
    await link.block(direction)
    sender.socket.resetAndDestroy()
    await bench.settle()
    expect(receiver.isOpen).toBe(true)
    await link.unblock(direction)
    expect(await receiver.end()).toBe('ECONNRESET')
  },
)

it.each(eachDirection)('dropped bytes %s end an open connection by RST at both ends', async (direction) => {
  const { sender, receiver } = ends(both, direction)
  await link.resetNext(direction)
  sender.send('lost')
  expect(await Promise.all([sender.end(), receiver.end()])).toEqual(['ECONNRESET', 'ECONNRESET'])
})

it('bytes on a slow link arrive if they were sent before a reset was armed, but not after it', async () => {
  await link.slow(100)
  both.process.send('before')
  await bench.settle()
  const takeBack = await link.resetNext('to-node')
  both.process.send('lost')
  await bench.settle()
  await takeBack()
  expect(await both.process.end()).toBe('ECONNRESET')
  // libuv reports an end instead of a reset if it arrives together with the last bytes.
  await both.node.end()
  expect(both.node.text).toBe('before')
})

it('a receiver that does not read slows down its sender', async () => {
  both.node.socket.pause()
  const length = 64 * 1024 * 1024
  both.process.socket.write(Buffer.alloc(length))
  await bench.settle()
  expect(both.process.socket.writableLength).toBe(length)
  both.node.socket.resume()
  while (both.node.text.length < length) await bench.settle()
  expect(both.process.socket.writableLength).toBe(0)
})

/** Closes everything, except the proxy if `leave` is passed. */
const script = `
  import { once } from 'node:events'
  import net from 'node:net'
  import { LoopbackProxy } from ${JSON.stringify(new URL('../../../src/live/proxy/loopback-proxy.ts', import.meta.url).href)}
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = new LoopbackProxy()
  const link = await proxy.openLink('', { host: '127.0.0.1', port: server.address().port })
  await link.slow(3_600_000)
  await link.block('to-process')
  const client = net.connect(link.port, '127.0.0.1')
  const [node] = await once(server, 'connection')
  client.write('slow')
  node.write('blocked')
  await new Promise((resolve) => setTimeout(resolve, 100))
  client.destroy()
  node.destroy()
  server.close()
  if (!process.argv.includes('leave')) await proxy.close()
  console.log('done')`

const played = (timeout: number, ...args: string[]) => {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  const node = ['--import', 'tsx', '--input-type=module', '-e', script, ...args]
  const { status, stdout } = spawnSync(process.execPath, node, { cwd, timeout })
  return { status, text: String(stdout) }
}

it('a process ends by itself once its proxy is closed, whatever was held', () => {
  expect(played(30_000)).toEqual({ status: 0, text: 'done\n' })
})

it('a process stays alive if its proxy stays open', () => {
  expect(played(5_000, 'leave')).toEqual({ status: null, text: 'done\n' })
})
