import net from 'node:net'
import { describe, expect, it } from 'vitest'
import type { ClientSide, Listener } from '../../src/network/client-side.ts'
import type { Tap } from '../../src/network/connection.ts'
import type { VirtualProcess } from '../../src/runtime/process.ts'
import { Lab } from '../lab.ts'

/** A tap that labels each write with its own bytes, stops nothing, and records losses. */
const noting = (lost: string[]): Tap => ({
  sending: () => {},
  opened: () => {},
  hearing: () => {},
  label: (_connection, bytes) => bytes,
  leaving: () => true,
  arriving: () => true,
  lost: (_connection, what, label) => lost.push(`${what} ${label}`),
})

/** A lab with one server and one client that record what they observe. */
function setUp(
  options: { seed?: number; work?: (socket: net.Socket) => void; tap?: Tap; standsStillMs?: number } = {},
) {
  const lab = new Lab(options.seed)
  const server: string[] = []
  const client: string[] = []
  const connections: ClientSide[] = []
  const listener: Listener = {
    accept(connection) {
      connections.push(connection)
      server.push('accepted')
      const closed = (ends?: () => void): void => {
        server.push('closed')
        ends?.()
      }
      return {
        received: (bytes) => server.push(bytes),
        closed: (ends) =>
          options.standsStillMs === undefined ? closed(ends) : lab.at(options.standsStillMs, () => closed(ends)),
      }
    },
  }
  lab.network.listen('10.0.0.1', 6379, 'server', listener, options.tap ?? null)
  const process = lab.start(() => {
    const socket = net.connect(6379, '10.0.0.1')
    for (const event of ['connect', 'end', 'close']) socket.on(event, () => client.push(event))
    socket.on('data', (data) => client.push(String(data)))
    socket.on('error', (error) => client.push(`${error.message} at ${performance.now()}`))
    options.work?.(socket)
  })
  return { lab, server, client, connections, process, link: lab.network.link(0, 'server') }
}

describe('a paused server', () => {
  it('receives the end of a connection, and earlier bytes, when it resumes', async () => {
    const { lab, client, connections } = setUp({
      work: (socket) => setTimeout(() => socket.end('a'), 50),
      standsStillMs: 900,
    })
    lab.at(800, () => connections[0]!.reply('answer', null))
    lab.at(850, () => expect(client).toEqual(['connect', 'answer']))
    await lab.run()
    expect(client).toEqual(['connect', 'answer', 'end', 'close'])
  })

  it('does not receive the end of a connection that breaks before it resumes', async () => {
    const { lab, client, connections } = setUp({
      work: (socket) => setTimeout(() => socket.end(), 50),
      standsStillMs: 900,
    })
    lab.at(800, () => connections[0]!.break('ECONNRESET'))
    await lab.run()
    expect(client).toEqual(['connect', expect.stringContaining('ECONNRESET'), 'close'])
  })
})

describe('a tap at the end of a connection', () => {
  const ends = async (work: (side: ClientSide) => void) => {
    const heard: string[] = []
    const tap = { ...noting([]), over: (_connection: unknown, how: string) => void heard.push(how) }
    const { lab, connections } = setUp({ tap })
    lab.at(100, () => work(connections[0]!))
    await lab.run()
    return heard
  }

  it('is notified of a close and of a reset', async () => {
    expect(await ends((connection) => connection.serverClose())).toEqual(['disconnected'])
    expect(await ends((connection) => connection.break('ECONNRESET'))).toEqual(['disconnected'])
  })

  it('is notified that nothing listens', async () => {
    const heard: string[] = []
    const tap = { ...noting([]), over: (_connection: unknown, how: string) => void heard.push(how) }
    const lab = new Lab()
    lab.network.listen('10.0.0.1', 6379, 'server', { accept: () => null }, tap)
    lab.start(() => void net.connect(6379, '10.0.0.1').on('error', () => {}))
    await lab.run()
    expect(heard).toEqual(['refused'])
  })
})

describe('a partition', () => {
  it('passes requests and holds replies if it affects one direction', async () => {
    const { lab, server, client, connections, link } = setUp({
      work: (socket) => setTimeout(() => socket.write('a'), 50),
    })
    lab.at(40, () => link.toProcess.block())
    lab.at(100, () => connections[0]!.reply('answer', null))
    lab.at(1000, () => expect(client).toEqual(['connect']))
    lab.at(2000, () => link.toProcess.unblock())
    await lab.run()
    expect(server).toEqual(['accepted', 'a'])
    expect(client).toEqual(['connect', 'answer'])
  })

  it('leaves both ends half-open, and delivers a close only after it has healed', async () => {
    const { lab, server, client, link } = setUp({ work: (socket) => setTimeout(() => socket.destroy(), 60) })
    lab.at(50, () => link.toNode.block())
    lab.at(900, () => expect([server, client]).toEqual([['accepted'], ['connect', 'close']]))
    lab.at(1000, () => link.toNode.unblock())
    await lab.run()
    expect(server).toEqual(['accepted', 'closed'])
  })

  it('of one process slot does not affect another slot', async () => {
    const { lab, server, link } = setUp()
    link.toNode.block()
    lab.start(() => net.connect(6379, '10.0.0.1'), 1)
    await lab.run({ timeUs: 1_000_000 })
    expect(server).toEqual(['accepted'])
  })

  it('that never ends makes a connection attempt fail after 127 s, and a write after 15 min, as on Linux', async () => {
    const attempt = setUp()
    attempt.link.toNode.block()
    await attempt.lab.run()
    expect(attempt.client).toEqual(['connect ETIMEDOUT 10.0.0.1:6379 at 127000', 'close'])
    const write = setUp({ work: (socket) => setTimeout(() => socket.write('a'), 60) })
    write.lab.at(50, () => write.link.toNode.block())
    await write.lab.run()
    expect(write.client).toEqual(['connect', 'read ETIMEDOUT at 924660', 'close'])
    expect(write.server).toEqual(['accepted'])
  })

  it('of the answer to SYN leaves no open connection at the server', async () => {
    const { lab, server, client, link } = setUp()
    link.toProcess.block()
    lab.at(200_000, () => link.toProcess.unblock())
    await lab.run()
    expect(client).toEqual(['connect ETIMEDOUT 10.0.0.1:6379 at 127000', 'close'])
    expect(server).toEqual(['accepted', 'closed'])
  })
})

describe('a forgotten connection', () => {
  const forget = (lab: Lab) => [...lab.network.connections].map((one) => one.forget())

  it('loses bytes from both ends without notice, and another connection still works', async () => {
    const { lab, server, client, connections, process } = setUp({
      work: (socket) => {
        setTimeout(() => socket.write('a'), 40)
        setTimeout(() => socket.write('b'), 60)
      },
    })
    lab.at(50, () => expect(forget(lab)).toEqual([true]))
    lab.at(55, () => expect(forget(lab)).toEqual([false]))
    lab.at(70, () => connections[0]!.reply('answer', null))
    lab.at(80, () => connections[0]!.serverClose())
    lab.at(900, () => lab.kernel.turn(process, () => void net.connect(6379, '10.0.0.1', () => client.push('another'))))
    await lab.run({ timeUs: 900_000_000 })
    expect([server, client]).toEqual([
      ['accepted', 'a', 'accepted'],
      ['connect', 'another'],
    ])
  })

  it('is given up 15 min after the first unacknowledged byte, and never if no byte is sent', async () => {
    const written = setUp({ work: (socket) => setTimeout(() => socket.write('a'), 60) })
    written.lab.at(50, () => forget(written.lab))
    await written.lab.run()
    expect(written.client).toEqual(['connect', 'read ETIMEDOUT at 924660', 'close'])
    const idle = setUp()
    idle.lab.at(50, () => forget(idle.lab))
    await idle.lab.run()
    expect(idle.client).toEqual(['connect'])
  })

  it('passes no reset from the server to the client, and no close from the client to the server', async () => {
    const reset = setUp()
    reset.lab.at(50, () => forget(reset.lab))
    reset.lab.at(60, () => reset.connections[0]!.break('ECONNRESET'))
    await reset.lab.run()
    expect([reset.server, reset.client]).toEqual([['accepted', 'closed'], ['connect']])
    const closed = setUp({ work: (socket) => setTimeout(() => socket.destroy(), 60) })
    closed.lab.at(50, () => forget(closed.lab))
    await closed.lab.run()
    expect([closed.server, closed.client]).toEqual([['accepted'], ['connect', 'close']])
  })
})

describe('a server', () => {
  it('may send and close while it accepts: the client receives the bytes and the end after it is connected', async () => {
    const lab = new Lab()
    const client: string[] = []
    lab.network.listen(
      '10.0.0.1',
      6379,
      'server',
      {
        accept(connection) {
          connection.reply('too many clients', null)
          connection.serverClose()
          return { received: () => expect.unreachable(), closed: () => expect.unreachable() }
        },
      },
      null,
    )
    lab.start(() => {
      const socket = net.connect(6379, '10.0.0.1')
      for (const event of ['connect', 'data', 'end', 'close'])
        socket.on(event, (detail) => client.push(`${event} ${detail}`))
    })
    await lab.run()
    expect(client).toEqual(['connect undefined', 'data too many clients', 'end undefined', 'close false'])
  })

  it('answers data after its end with a reset, and reports the data as lost', async () => {
    const lab = new Lab()
    const errors: string[] = []
    const lost: string[] = []
    const listener = {
      accept: (connection: ClientSide) => {
        lab.at(20, () => connection.serverClose())
        return { received: () => expect.unreachable(), closed: () => {} }
      },
    }
    lab.network.listen('10.0.0.1', 6379, 'server', listener, noting(lost))
    lab.start(() => {
      const socket = net.connect({ host: '10.0.0.1', port: 6379, allowHalfOpen: true })
      socket.on('error', (error) => errors.push(error.message)).resume()
      setTimeout(() => socket.write('anybody there?'), 100)
    })
    await lab.run()
    expect(errors).toEqual(['read ECONNRESET'])
    expect(lost).toEqual(['request anybody there?'])
  })
})

describe('a break', () => {
  it('before the connection is established fails the attempt', async () => {
    const { lab, client, connections, link } = setUp()
    link.toProcess.block()
    lab.at(50, () => connections[0]!.break('ECONNRESET'))
    await lab.run()
    expect(client).toEqual(['connect ECONNRESET 10.0.0.1:6379 at 50', 'close'])
  })

  it('drops the bytes in flight, and reports them as lost', async () => {
    const lost: string[] = []
    const { lab, server, client, connections, link } = setUp({
      tap: noting(lost),
      work: (socket) => setTimeout(() => socket.write('a'), 60),
    })
    lab.at(50, () => link.toNode.block())
    lab.at(80, () => link.toProcess.block())
    lab.at(90, () => connections[0]!.reply('unasked', 'unasked'))
    lab.at(100, () => connections[0]!.break('ECONNRESET'))
    lab.at(200, () => link.toNode.unblock())
    await lab.run()
    expect(lost).toEqual(['reply unasked', 'request a'])
    expect(server).toEqual(['accepted', 'closed'])
    expect(client).toEqual(['connect', 'read ECONNRESET at 100', 'close'])
  })
})

describe('a crash', () => {
  const writes = ['one|', 'two|', 'three|']

  async function crashed(seed: number): Promise<string[]> {
    const { lab, server, process, link } = setUp({
      seed,
      work: (socket) =>
        setTimeout(() => {
          for (const write of writes) socket.write(write)
        }, 60),
    })
    // All written bytes are still in flight.
    lab.at(50, () => link.toNode.block())
    lab.at(70, () => process.end())
    lab.at(80, () => link.toNode.unblock())
    await lab.run()
    return server
  }

  it('sends any prefix of the written bytes, and nothing else', async () => {
    const all = writes.join('')
    const seen = new Set<string>()
    for (let seed = 0; seed < 200; seed++) {
      const server = await crashed(seed)
      const prefix = server.slice(1, -1).join('')
      expect(server.at(-1)).toBe('closed')
      expect(all.startsWith(prefix), prefix).toBe(true)
      seen.add(prefix)
    }
    expect(seen).toContain('')
    expect(seen).toContain(all)
    expect(seen).toContain('one|')
    expect([...seen].some((prefix) => prefix !== '' && !prefix.endsWith('|'))).toBe(true)
  })

  it('of a paused process sends none of its held bytes', async () => {
    const found: { process?: VirtualProcess } = {}
    const { lab, server, process } = setUp({
      work: (socket) =>
        setTimeout(() => {
          found.process!.pause()
          socket.write('held')
        }, 60),
    })
    found.process = process
    lab.at(100, () => process.end())
    await lab.run()
    expect(server).toEqual(['accepted', 'closed'])
  })
})

describe('a paused process', () => {
  const held = async (whilePaused: (connection: ClientSide) => void, then = (_socket: net.Socket) => {}) => {
    const lost: string[] = []
    const found: { process?: VirtualProcess } = {}
    const { lab, server, connections, process } = setUp({
      tap: noting(lost),
      work: (socket) =>
        setTimeout(() => {
          found.process!.pause()
          socket.write('held')
          then(socket)
        }, 60),
    })
    found.process = process
    lab.at(100, () => whilePaused(connections[0]!))
    lab.at(200, () => process.resume())
    await lab.run()
    return { lost, server }
  }

  it('loses held bytes if the connection breaks during the pause, and reports them as lost', async () => {
    expect(await held((connection) => connection.break('ECONNRESET'))).toEqual({
      lost: ['request held'],
      server: ['accepted', 'closed'],
    })
  })

  it('sends held bytes when it resumes if the connection did not break', async () => {
    expect(await held(() => {})).toEqual({ lost: [], server: ['accepted', 'held'] })
  })

  it('sends held bytes if it closed the connection in the rest of the turn of the pause, unless the connection broke', async () => {
    const destroy = (socket: net.Socket) => void socket.destroy()
    expect(await held(() => {}, destroy)).toEqual({ lost: [], server: ['accepted', 'held', 'closed'] })
    expect(await held((connection) => connection.break('ECONNRESET'), destroy)).toEqual({
      lost: ['request held'],
      server: ['accepted', 'closed'],
    })
  })

  it('opens no connection that it destroyed in the rest of the turn of the pause, like a running process', async () => {
    const seen = async (isPaused: boolean) => {
      const { lab, server } = setUp()
      const process = lab.start(() => {
        if (isPaused) process.pause()
        const socket = net.connect(6379, '10.0.0.1')
        // At this point, the process has called connect(2).
        globalThis.process.nextTick(() => globalThis.process.nextTick(() => socket.destroy()))
      }, 1)
      lab.at(100, () => process.resume())
      await lab.run()
      return server
    }
    expect(await seen(true)).toEqual(['accepted'])
    expect(await seen(false)).toEqual(['accepted'])
  })

  it('receives everything in order when it resumes, because its machine still receives', async () => {
    const { lab, server, client, connections, process } = setUp({
      work: (socket) => setTimeout(() => socket.write('before'), 60),
    })
    lab.at(70, () => process.pause())
    lab.at(100, () => {
      connections[0]!.reply('first', null)
      connections[0]!.reply('second', null)
      connections[0]!.serverClose()
    })
    lab.at(500_000, () => expect(client).toEqual(['connect']))
    lab.at(600_000, () => process.resume())
    await lab.run()
    expect(server).toEqual(['accepted', 'before'])
    expect(client).toEqual(['connect', 'firstsecond', 'end', 'close'])
  })
})
