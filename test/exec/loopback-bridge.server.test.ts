import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { LoopbackBridge } from '../../src/exec/loopback-bridge.ts'

const never = () => false

/** A connection over which `text` was sent, and which is closed at both ends. */
async function closed(bridge: LoopbackBridge, text: string): Promise<number> {
  const socket = net.connect(bridge.port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  const { localPort } = socket
  socket.resume().end(text)
  await new Promise((resolve) => socket.once('close', resolve))
  return localPort!
}

describe('a loopback bridge', () => {
  it('has the bytes of a process that wrote and closed at once', async () => {
    const bridge = await LoopbackBridge.listen()
    const port = await closed(bridge, 'PING\r\n')
    await bridge.opened(port, never)
    expect(await bridge.take(port, 4, never)).toBe('PING')
    expect(await bridge.take(port, 2, never)).toBe('\r\n')
  })

  it('returns the remaining bytes of a closed connection without waiting', async () => {
    const bridge = await LoopbackBridge.listen()
    const port = await closed(bridge, 'PI')
    expect(await bridge.take(port, 4, never)).toBe('PI')
  })

  it('has a new connection on the same port once the old one was forgotten', async () => {
    const bridge = await LoopbackBridge.listen()
    const port = await closed(bridge, 'PING')
    bridge.forget(port)
    expect(await bridge.take(port, 4, never)).toBe('')
  })
})
