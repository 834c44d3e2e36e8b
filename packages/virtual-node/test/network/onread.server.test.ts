import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Client, expectAlike, onRealSockets, onVirtualSockets, type Serve } from './sides.ts'

type At = { host: string; port: number }
type OnRead = NonNullable<net.ConnectOpts['onread']>
type Log = (line: string) => void

/**
 * A socket that reads into buffers and logs every event. The program ends a little after `close`.
 */
function reading(at: At, log: Log, over: () => void, onread: OnRead): net.Socket {
  const socket = net.connect({ ...at, onread })
  for (const event of ['connect', 'data', 'end', 'close'] as const)
    socket.on(event, (detail?: unknown) => log(`${event} ${event === 'data' ? String(detail) : ''}`))
  socket.on('error', (error: Error & { code?: string }) => log(`error ${error.code} ${error.message}`))
  return socket.on('close', () => setTimeout(over, 20))
}

const text = (count: number, buffer: Uint8Array) => Buffer.from(buffer.subarray(0, count)).toString('latin1')

const tenAndEnd: Serve = () => ({
  connected(peer) {
    peer.write('abcdefghij')
    peer.after(40, () => peer.end())
  },
})
const tenAtOnceAndEnd: Serve = () => ({
  connected(peer) {
    peer.write('abcdefghij')
    peer.end()
  },
})
const twice: Serve = () => ({
  connected(peer) {
    peer.write('abcdef')
    peer.after(40, () => peer.write('ghi'))
    peer.after(80, () => peer.end())
  },
})
const tenAndReset: Serve = () => ({
  connected(peer) {
    peer.write('abcdefghij')
    peer.after(40, () => peer.reset())
  },
})

/** Pauses after the first read until the server has reset the connection. */
const stoppedUntilReset =
  (bufferBytes: number): Client =>
  (at, log, over) => {
    let reads = 0
    const socket = reading(at, log, over, {
      buffer: Buffer.alloc(bufferBytes),
      callback: (count, buffer) => {
        log(`read ${text(count, buffer as Uint8Array)}`)
        if (++reads > 1) return true
        setTimeout(() => socket.resume(), 80)
        return false
      },
    })
  }

const cases: Record<string, [Serve, Client]> = {
  'as many bytes as the buffer holds, always into the same buffer': [
    tenAndEnd,
    (at, log, over) => {
      const own = Buffer.alloc(4)
      const socket = reading(at, log, over, {
        buffer: own,
        callback: (count, buffer) => {
          log(`read ${text(count, buffer as Uint8Array)} of ${buffer.length}, ${socket.bytesRead}`)
          log(`${buffer === own} ${own.toString('latin1')}`)
          return true
        },
      })
    },
  ],
  'the microtasks and ticks of callbacks, between two reads': [
    tenAndEnd,
    (at, log, over) => {
      reading(at, log, over, {
        buffer: Buffer.alloc(4),
        callback: (count, buffer) => {
          const read = text(count, buffer as Uint8Array)
          log(`read ${read}`)
          setImmediate(() => log(`immediate of ${read}`))
          process.nextTick(() => log(`tick of ${read}`))
          void Promise.resolve().then(() => log(`promise of ${read}`))
          return true
        },
      })
    },
  ],
  'a new buffer for each read': [
    twice,
    (at, log, over) => {
      let made = 0
      reading(at, log, over, {
        buffer: () => {
          log(`buffer ${++made}`)
          return Buffer.alloc(made + 1)
        },
        callback: (count, buffer) => {
          log(`read ${text(count, buffer as Uint8Array)} of ${buffer.length}`)
          return true
        },
      })
    },
  ],
  'false stops reading, resume() continues': [
    tenAtOnceAndEnd,
    (at, log, over) => {
      const socket = reading(at, log, over, {
        buffer: Buffer.alloc(4),
        callback: (count, buffer) => {
          log(`read ${text(count, buffer as Uint8Array)}`)
          setTimeout(() => {
            log('resume')
            socket.resume()
          }, 30)
          return false
        },
      })
    },
  ],
  'pause() before the first bytes, read() continues': [
    twice,
    (at, log, over) => {
      const socket = reading(at, log, over, {
        buffer: Buffer.alloc(4),
        callback: (count, buffer) => {
          log(`read ${text(count, buffer as Uint8Array)}`)
          return true
        },
      })
      socket.on('connect', () => socket.pause())
      setTimeout(() => {
        log('read()')
        socket.read(0)
        socket.resume()
      }, 60)
    },
  ],
  'a reset after unread bytes that do not fill the last buffer': [tenAndReset, stoppedUntilReset(4)],
  'a reset after unread bytes that fill the last buffer': [tenAndReset, stoppedUntilReset(5)],
  'more reads than fit in one round of the event loop': [
    () => ({
      connected(peer) {
        peer.write('x'.repeat(70))
        peer.after(40, () => peer.end())
      },
    }),
    (at, log, over) => {
      let reads = 0
      reading(at, log, over, {
        buffer: Buffer.alloc(1),
        callback: () => {
          if (++reads === 1) setImmediate(() => log(`immediate after ${reads} reads`))
          return true
        },
      }).on('end', () => log(`${reads} reads`))
    },
  ],
  'a socket destroyed with unread bytes': [
    tenAndEnd,
    (at, log, over) => {
      const socket = reading(at, log, over, {
        buffer: Buffer.alloc(4),
        callback: (count, buffer) => {
          log(`read ${text(count, buffer as Uint8Array)}`)
          socket.destroy()
          return true
        },
      })
    },
  ],
  'an empty buffer': [
    tenAndEnd,
    (at, log, over) => void reading(at, log, over, { buffer: Buffer.alloc(0), callback: () => true }),
  ],
  'an invalid option': [
    tenAndEnd,
    (at, log, over) => {
      reading(at, log, over, undefined as never)
    },
  ],
  'an option without a callback': [
    tenAndEnd,
    (at, log, over) => {
      reading(at, log, over, { buffer: Buffer.alloc(4) } as never)
    },
  ],
}

describe('a socket with `onread` behaves like a real one:', () => {
  for (const [name, [serve, client]] of Object.entries(cases))
    it(name, async () => {
      expect((await expectAlike(serve, client)).length).toBeGreaterThan(2)
    })

  it('the comparison detects a callback that pauses where the real one does not', async () => {
    const client =
      (goesOn: boolean): Client =>
      (at, log, over) => {
        const socket = reading(at, log, over, {
          buffer: Buffer.alloc(4),
          callback: (count, buffer) => {
            log(`read ${text(count, buffer as Uint8Array)}`)
            setTimeout(() => socket.resume(), 30)
            setImmediate(() => log('later'))
            return goesOn
          },
        })
      }
    const real = await onRealSockets(tenAndEnd, client(true))
    expect(await onVirtualSockets(tenAndEnd, client(false))).not.toEqual(real)
  })
})
