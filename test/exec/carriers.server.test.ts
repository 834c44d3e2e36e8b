import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { Carriers } from '../../src/exec/carriers.ts'

const never = () => false

/** A connection over which `text` was sent, and which is closed at both ends. */
async function closed(carriers: Carriers, text: string): Promise<number> {
  const socket = net.connect(carriers.port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  const { localPort } = socket
  socket.resume().end(text)
  await new Promise((resolve) => socket.once('close', resolve))
  return localPort!
}

describe('a carrier', () => {
  it('has the bytes of a process that wrote and closed at once', async () => {
    const carriers = await Carriers.listen()
    const port = await closed(carriers, 'PING\r\n')
    await carriers.opened(port, never)
    expect(await carriers.take(port, 4, never)).toBe('PING')
    expect(await carriers.take(port, 2, never)).toBe('\r\n')
  })

  it('that is closed gives what there is, and does not wait for more', async () => {
    const carriers = await Carriers.listen()
    const port = await closed(carriers, 'PI')
    expect(await carriers.take(port, 4, never)).toBe('PI')
  })

  it('is another one on the same port, once it was forgotten', async () => {
    const carriers = await Carriers.listen()
    const port = await closed(carriers, 'PING')
    carriers.forget(port)
    expect(await carriers.take(port, 4, never)).toBe('')
  })
})
