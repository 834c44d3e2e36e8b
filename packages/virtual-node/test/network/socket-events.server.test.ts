import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Client, expectAlike, onRealSockets, onVirtualSockets, type Serve } from './sides.ts'
import { reported, states, watch } from './watched-socket.ts'

const silent: Serve = () => ({})
const echo: Serve = () => ({ received: (peer, text) => peer.write(text) })
const closesAtOnce: Serve = () => ({ connected: (peer) => peer.end() })
const greetsAndCloses: Serve = () => ({
  connected(peer) {
    peer.write('hello')
    peer.end()
  },
})
const closesOnData: Serve = () => ({ received: (peer) => peer.end() })
const resetsOnData: Serve = () => ({ received: (peer) => peer.reset() })
const closesLater: Serve = () => ({ connected: (peer) => peer.after(40, () => peer.end()) })
const resetsLater: Serve = () => ({ connected: (peer) => peer.after(40, () => peer.reset()) })

const cases: Record<string, [Serve | null, Client]> = {
  'a word, its echo, and a close by the client': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      log(`at once ${states(socket)}`)
      socket.write('ping', () => log('written'))
      socket.on('data', () => socket.end(() => log('ended')))
      log(`after write ${states(socket)}`)
    },
  ],
  'end() before the connection is established': [
    echo,
    (at, log, over) => {
      const socket = watch(
        net.connect(at.port, at.host, () => log('callback')),
        log,
        over,
      )
      socket.end('all', () => log('ended'))
      log(`after end ${states(socket)}`)
    },
  ],
  'nothing listens': [null, (at, log, over) => void watch(net.connect(at), log, over)],
  'nothing listens, with a pending write and end': [
    null,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      socket.write('a', (error) => log(`write ${error?.message}`))
      socket.write('b', (error) => log(`write ${error?.message}`))
      socket.end((error?: Error) => log(`end ${error?.message}`))
    },
  ],
  'the server closes at once': [closesAtOnce, (at, log, over) => void watch(net.connect(at), log, over)],
  'the server greets and closes': [greetsAndCloses, (at, log, over) => void watch(net.connect(at), log, over)],
  'the server closes an idle connection': [closesLater, (at, log, over) => void watch(net.connect(at), log, over)],
  'the server resets an idle connection': [resetsLater, (at, log, over) => void watch(net.connect(at), log, over)],
  'the server closes when data arrives': [
    closesOnData,
    (at, log, over) => void watch(net.connect(at), log, over).write('x'),
  ],
  'the server resets when data arrives': [
    resetsOnData,
    (at, log, over) => void watch(net.connect(at), log, over).write('x'),
  ],
  'allowHalfOpen: the server closes, the client continues until it ends': [
    closesLater,
    (at, log, over) => {
      const socket = watch(net.connect({ ...at, allowHalfOpen: true }), log, over)
      socket.on('end', () => {
        log(`writable ${socket.writable}`)
        setTimeout(() => socket.end(), 30)
      })
    },
  ],
  'allowHalfOpen: the client ends first, the server answers before it closes': [
    () => ({ received: (peer) => peer.after(30, () => peer.write('late')) }),
    (at, log, over) => {
      const socket = watch(net.connect({ ...at, allowHalfOpen: true }), log, over)
      socket.on('connect', () => socket.write('x'))
      socket.on('data', () => socket.end())
    },
  ],
  'destroy() before the connection is established': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      socket.write('x', (error) => log(`write ${error?.message}`))
      socket.destroy()
      log(`after destroy ${states(socket)}`)
    },
  ],
  'destroy(error) while idle': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      socket.on('connect', () => {
        setImmediate(() => log('immediate'))
        process.nextTick(() => log('tick'))
        socket.destroy(new Error('enough'))
        setImmediate(() => log('later immediate'))
        log(`after destroy ${states(socket)}`)
      })
    },
  ],
  'destroy() of a socket that never connected': [
    silent,
    (_at, log, over) => {
      const socket = watch(new net.Socket(), log, over)
      log(`new ${states(socket)}`)
      socket.destroy()
      log(`after destroy ${states(socket)}`)
    },
  ],
  'resetAndDestroy()': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      socket.on('connect', () => socket.resetAndDestroy())
    },
  ],
  'resetAndDestroy() before connect()': [
    echo,
    (_at, log, over) => void watch(new net.Socket(), log, over).resetAndDestroy(),
  ],
  'destroySoon()': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      socket.on('connect', () => {
        socket.write('last')
        socket.destroySoon()
      })
    },
  ],
  'a write after end()': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      socket.on('connect', () => {
        socket.end('last')
        socket.write('too late', (error) => log(`write ${reported(error)}`))
      })
    },
  ],
  'a write after the server has ended the connection': [
    closesLater,
    (at, log, over) => {
      const socket = watch(net.connect({ ...at, allowHalfOpen: false }), log, over)
      socket.on('end', () => socket.write('too late', (error) => log(`write ${reported(error)}`)))
    },
  ],
  'a write after destroy()': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      socket.on('connect', () => {
        socket.destroy()
        socket.write('too late', (error) => log(`write ${reported(error)}`))
      })
    },
  ],
  'a write without a connection': [
    echo,
    (_at, log, over) => void watch(new net.Socket(), log, over).write('x', (error) => log(`write ${reported(error)}`)),
  ],
  'new net.Socket() and connect() later': [
    echo,
    (at, log, over) => {
      const socket = watch(new net.Socket({ allowHalfOpen: true }), log, over)
      log(`new ${states(socket)}`)
      setTimeout(() => {
        socket.connect(at.port, at.host, () => log('callback'))
        log(`connect ${states(socket)}`)
        socket.once('data', () => socket.end())
        socket.write('x')
      }, 20)
    },
  ],
  'a socket that connects again after its close': [
    closesAtOnce,
    (at, log, over) => {
      let rounds = 0
      const socket = watch(new net.Socket(), log, () => {
        if (++rounds === 2) over()
        else socket.connect(at)
      })
      socket.connect(at)
    },
  ],
  'an idle timeout, and the activity that restarts it': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect({ ...at, timeout: 120 }), log, over)
      setTimeout(() => socket.write('x'), 60)
      setTimeout(() => log('not yet'), 150)
      socket.once('timeout', () => socket.setTimeout(60, () => socket.destroy()))
    },
  ],
  'a cancelled timeout': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      const never = () => log('never')
      socket.setTimeout(20, never)
      socket.setTimeout(0, never)
      setTimeout(() => socket.end(), 60)
    },
  ],
  'counts and addresses': [
    echo,
    (at, log, over) => {
      const socket = watch(net.connect(at), log, over)
      const counts = () =>
        log(`${socket.bytesRead} ${socket.bytesWritten} ${socket.remoteAddress} ${socket.remotePort}`)
      socket.write('naïve')
      counts()
      socket.on('connect', counts)
      socket.on('data', () => {
        counts()
        log(`${typeof socket.localPort} ${socket.remoteFamily} ${socket.localFamily} ${Object.keys(socket.address())}`)
        socket.end('636166c3a9', 'hex')
      })
      socket.on('close', counts)
    },
  ],
  'late listeners for data': [
    greetsAndCloses,
    (at, log, over) => {
      const socket = net.connect(at)
      setTimeout(() => watch(socket, log, over), 60)
    },
  ],
  'for await': [
    () => ({
      connected(peer) {
        peer.write('a')
        peer.after(30, () => {
          peer.write('b')
          peer.end()
        })
      },
    }),
    async (at, log, over) => {
      for await (const data of net.connect(at)) log(String(data))
      over()
    },
  ],
  'an abort signal': [
    echo,
    (at, log, over) => {
      const controller = new AbortController()
      const socket = watch(net.connect({ ...at, signal: controller.signal } as net.NetConnectOpts), log, over)
      socket.on('connect', () => controller.abort())
    },
  ],
  'a custom lookup': [
    echo,
    (at, log, over) => {
      const lookup = (name: string, options: { all?: boolean }, done: Function) => {
        log(`asked for ${name} ${options.all}`)
        process.nextTick(() => (options.all ? done(null, [{ address: at.host, family: 4 }]) : done(null, at.host, 4)))
      }
      const socket = watch(net.connect({ host: 'a-name', port: at.port, lookup: lookup as never }), log, over)
      socket.on('connect', () => socket.end())
    },
  ],
  'a failing lookup': [
    echo,
    (at, log, over) => {
      const failed = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      const lookup = (_name: string, _options: object, done: Function) => setTimeout(() => done(failed), 5)
      watch(net.connect({ host: 'a-name', port: at.port, lookup: lookup as never }), log, over)
    },
  ],
  'wrong arguments': [
    echo,
    (_at, log, over) => {
      for (const args of [
        [],
        [{}],
        [{ port: 'x' }],
        [{ port: -1 }],
        [70_000],
        [1.5],
        [Number.NaN],
        ['70000'],
        [{ port: true }],
      ])
        try {
          Reflect.apply(net.connect, net, args)
        } catch (error) {
          const { name, code, message } = error as Error & { code: string }
          log(`${name} ${code} ${code === 'ERR_INVALID_ARG_TYPE' ? '' : message}`)
        }
      over()
    },
  ],
}

describe('a virtual socket behaves like a real one:', () => {
  for (const [name, [serve, client]] of Object.entries(cases))
    it(name, async () => {
      expect((await expectAlike(serve, client)).length).toBeGreaterThan(0)
    })
})

describe('the comparison', () => {
  it('detects a difference: the real server closes, the virtual server resets', async () => {
    const [, client] = cases['the server closes an idle connection']!
    const real = await onRealSockets(closesLater, client)
    expect(await onVirtualSockets(resetsLater, client)).not.toEqual(real)
  })
})
