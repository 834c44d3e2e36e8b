import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onceproof } from './run-cli.ts'

const binary = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))

let server: ChildProcess
let port: number

async function start(...args: string[]): Promise<[ChildProcess, number]> {
  const child = spawn(process.execPath, [binary, 'redis', '--port', '0', '--json', ...args])
  let text = ''
  for await (const chunk of child.stdout) {
    text += chunk
    if (text.endsWith('}\n')) break
  }
  return [child, JSON.parse(text).port]
}

/**
 * Waits for its INFO, which ioredis sends first: a busy server would refuse it, and ioredis would
 * give up.
 */
async function connected(): Promise<Redis> {
  const client = new Redis(port)
  await client.ping()
  return client
}

/**
 * Sends bytes on a new connection. Returns the received bytes once `done` returns true, or once the
 * server hangs up.
 */
async function exchange(bytes: string, done: (received: string) => boolean): Promise<string> {
  const socket: Socket = createConnection({ host: '127.0.0.1', port })
  socket.write(bytes, 'latin1')
  let received = ''
  for await (const chunk of socket) {
    received += chunk.toString('latin1')
    if (done(received)) break
  }
  socket.destroy()
  return received
}

describe('the simulated Redis on a TCP port', () => {
  beforeAll(async () => {
    ;[server, port] = await start()
  })
  afterAll(() => server.kill())

  it('serves ioredis: pipelines, scripts, blocking reads and messages', async () => {
    const [one, other] = [new Redis(port), new Redis(port)]
    expect(await one.pipeline().set('a', '1').incr('a').get('a').exec()).toEqual([
      [null, 'OK'],
      [null, 2],
      [null, '2'],
    ])
    expect(await one.eval("return redis.call('INCRBY', KEYS[1], ARGV[1])", 1, 'a', 5)).toBe(7)
    const popped = one.blpop('list', 0)
    await other.rpush('list', 'x', 'y')
    expect(await popped).toEqual(['list', 'x'])
    await one.subscribe('news')
    const message = once(one, 'message')
    await other.publish('news', 'hello')
    expect(await message).toEqual(['news', 'hello'])
    one.disconnect()
    other.disconnect()
  })

  it('answers malformed requests like Redis, and hangs up', async () => {
    const error = (text: string) => `-ERR Protocol error: ${text}\r\n`
    expect(await exchange('*1\r\n$999999999999\r\n', () => false)).toBe(error('invalid bulk length'))
    expect(await exchange('*1\r\n!4\r\n', () => false)).toBe(error("expected '$', got '!'"))
    expect(await exchange('PING\r\n', (text) => text.endsWith('\n'))).toBe('+PONG\r\n')
  })

  it('does not execute commands of a client that never reads, and survives', async () => {
    const greedy = createConnection({ host: '127.0.0.1', port }).pause()
    const client = new Redis(port)
    await client.set('big', 'x'.repeat(1_000_000))
    greedy.write('GET big\r\n'.repeat(2_000))
    greedy.write('SET reached 1\r\n')
    await client.ping()
    expect(await client.get('reached')).toBeNull()
    greedy.destroy()
    client.disconnect()
  })

  it('is busy during an endless script, until the script is killed', async () => {
    const reported = once(server.stderr!, 'data')
    const [looping, other] = [await connected(), await connected()]
    const ended = expect(looping.eval('while true do end', 0)).rejects.toThrow(/Script killed by user/)
    expect(String((await reported)[0])).toContain('a script that runs for too long')
    await expect(other.get('a')).rejects.toThrow(/^BUSY/)
    expect(await other.script('KILL')).toBe('OK')
    await ended
    expect(await other.ping()).toBe('PONG')
    looping.disconnect()
    other.disconnect()
  })

  it('survives patterns and scripts that use much memory', async () => {
    const [hostile, other] = [await connected(), await connected()]
    await other.set('a'.repeat(60_000), '1')
    expect(await hostile.keys('*a'.repeat(50_000))).toHaveLength(1)
    expect(await hostile.keys(`${'a*'.repeat(40)}b`)).toEqual([])
    const grows = hostile.eval('local t = {} while true do t = {t, {}, tostring(#t)} end', 0)
    const ended = expect(grows).rejects.toThrow(/Script killed by user/)
    await expect.poll(() => other.get('a').catch(String), { timeout: 50_000 }).toMatch(/BUSY/)
    expect(await other.script('KILL')).toBe('OK')
    await ended
    hostile.disconnect()
    other.disconnect()
  })

  it('reports a used port in one line, with exit code 2', async () => {
    const { code, stderr } = await onceproof(['redis', '--port', String(port)])
    expect(stderr).toBe(`onceproof: 127.0.0.1:${port}: the port is in use; choose another --port\n`)
    expect(code).toBe(2)
  })

  it('requires the given password', async () => {
    const [guarded, itsPort] = await start('--password', 'secret')
    const client = new Redis(itsPort, { password: 'secret' })
    expect(await client.ping()).toBe('PONG')
    const stranger = new Redis(itsPort, { lazyConnect: true, enableReadyCheck: false })
    stranger.on('error', () => {})
    await expect(stranger.get('a')).rejects.toThrow(/NOAUTH/)
    client.disconnect()
    stranger.disconnect()
    guarded.kill()
  })
})
