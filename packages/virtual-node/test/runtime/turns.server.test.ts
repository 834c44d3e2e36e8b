import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import { connectOwn } from 'virtual-node/own-connection'
import { describe, expect, it } from 'vitest'
import { Lab } from '../lab.ts'

const boom = () => {
  throw new Error('boom')
}

/** Ways in which code can fail without a handler. */
const failures: Record<string, () => unknown> = {
  'an exception in a turn': boom,
  'an exception in a timer': () => setTimeout(boom, 5),
  'an exception in an immediate': () => setImmediate(boom),
  'an exception in nextTick': () => process.nextTick(boom),
  'an exception in nextTick of nextTick': () => process.nextTick(() => process.nextTick(boom)),
  'an exception in queueMicrotask': () => queueMicrotask(boom),
  'a rejected promise': () => void Promise.reject(new Error('boom')),
  'an async function that throws': async () => {
    await null
    boom()
  },
  'a promise rejected in a later turn': () =>
    void new Promise((_, reject) => setTimeout(() => reject(new Error('boom')), 3)),
  'an exception in a handler of an emitter': () => {
    const emitter = new EventEmitter()
    emitter.on('event', boom)
    process.nextTick(() => emitter.emit('event'))
  },
  'an unhandled error event': () => new EventEmitter().emit('error', new Error('boom')),
  'an exception in a handler of an EventTarget': () => {
    const target = new EventTarget()
    target.addEventListener('event', boom)
    target.dispatchEvent(new Event('event'))
  },
  'an exception in an abort handler': () => AbortSignal.timeout(5).addEventListener('abort', boom),
  'an exception in the answer of the thread pool': () => fs.readFile('.', boom),
}

describe('a process that fails', () => {
  for (const [name, fail] of Object.entries(failures))
    it(`by ${name} dies alone, while the others continue`, async () => {
      const lab = new Lab()
      const log: string[] = []
      const broken = lab.start(() => {
        setTimeout(() => log.push('the dead speak'), 50)
        fail()
      })
      lab.start(() => {
        process.nextTick(() => log.push('tick'))
        setTimeout(() => log.push('timer'), 100)
      }, 1)
      expect(await lab.run()).toBe('rest')
      expect(lab.deaths).toEqual(['consumer-1: boom'])
      expect(broken.state).toBe('ended')
      expect(log).toEqual(['tick', 'timer'])
    })

  it('survives a rejection that is handled in the same turn', async () => {
    const lab = new Lab()
    lab.start(() => {
      const rejected = Promise.reject(new Error('handled'))
      process.nextTick(() => rejected.catch(() => {}))
    })
    await lab.run()
    expect(lab.deaths).toEqual([])
  })

  it('loses its remaining ticks, and other processes keep theirs', async () => {
    const lab = new Lab()
    const log: string[] = []
    lab.start(() => {
      process.nextTick(() => log.push('before'))
      process.nextTick(boom)
      process.nextTick(() => log.push('after'))
    })
    lab.start(() => process.nextTick(() => log.push('other')), 1)
    await lab.run()
    expect(log).toEqual(['before', 'other'])
  })

  it('survives if it has its own listener, as in Node', async () => {
    const lab = new Lab()
    const log: string[] = []
    lab.start(() => {
      process.on('uncaughtException', (error) => log.push(`uncaught ${error.message}`))
      process.once('unhandledRejection', (error) => log.push(`unhandled ${(error as Error).message}`))
      setTimeout(boom, 1)
      setTimeout(() => void Promise.reject(new Error('first')), 2)
      setTimeout(() => void Promise.reject(new Error('second')), 3)
      setTimeout(() => log.push('alive'), 4)
    })
    lab.start(() => setTimeout(boom, 5), 1)
    await lab.run()
    expect(log).toEqual(['uncaught boom', 'unhandled first', 'uncaught second', 'alive'])
    expect(lab.deaths).toEqual(['consumer-2: boom'])
  })
})

describe('a run', () => {
  it('restores Node’s listeners for unhandled errors', async () => {
    const before = process.listeners('unhandledRejection')
    const lab = new Lab()
    lab.start(boom)
    await lab.run()
    expect(process.listeners('unhandledRejection')).toEqual(before)
  })

  /** The real work keeps the run alive until something has failed outside every process. */
  async function failsOutside(): Promise<void> {
    const lab = new Lab()
    let hasFailed = false
    const fail = () => {
      hasFailed = true
      void Promise.reject(new Error('a bug of the harness'))
    }
    lab.at(0, () => setImmediate(fail))
    lab.start(async () => {
      while (!hasFailed) await crypto.subtle.digest('SHA-256', new Uint8Array(1))
    })
    await lab.run()
  }

  it('fails when something fails outside every process', async () => {
    await expect(failsOutside()).rejects.toThrow('a bug of the harness')
  })

  it('fails when something fails outside every process, even if an error ended the previous run in a turn', async () => {
    const lab = new Lab()
    lab.died = () => {
      throw new Error('a bug in what ends processes')
    }
    lab.start(boom)
    await expect(lab.run()).rejects.toThrow('a bug in what ends processes')
    await expect(failsOutside()).rejects.toThrow('a bug of the harness')
  })

  describe('that waits for the thread pool', () => {
    /** Connects to a real server, from outside every process, during a run. */
    async function connecting(connect: (port: number) => net.Socket): Promise<string> {
      const server = net.createServer((socket) => socket.end())
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as net.AddressInfo
      const lab = new Lab()
      let outcome: string | null = null
      const dial = () => {
        try {
          const socket = connect(port)
          socket.once('connect', () => (outcome = 'connected'))
          socket.once('close', () => server.close())
          socket.resume()
        } catch (error) {
          outcome = (error as Error).message
          server.close()
        }
      }
      lab.at(0, () => setImmediate(dial))
      lab.start(async () => {
        while (outcome === null) await crypto.subtle.digest('SHA-256', new Uint8Array(1))
      })
      await lab.run()
      return outcome!
    }

    it('does not let a layer connect to a real server', async () => {
      const refused = 'a connection was opened outside the simulated processes'
      expect(await connecting((port) => net.connect(port, '127.0.0.1'))).toBe(refused)
      expect(await connecting((port) => new net.Socket().connect(port, '127.0.0.1'))).toBe(refused)
    })

    it('lets the harness connect to its own server', async () => {
      expect(await connecting((port) => connectOwn('127.0.0.1', port))).toBe('connected')
    })
  })
})
