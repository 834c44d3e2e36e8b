import { createRequire } from 'node:module'
import net from 'node:net'
import tls from 'node:tls'
import { describe, expect, it } from 'vitest'
import { Lab } from '../lab.ts'

/** The module as an adapter gets it. */
const http: typeof import('node:http') = createRequire(import.meta.url)('node:http')

/**
 * Separate logs of a server and its client, because their relative order is random on real sockets.
 */
interface Log {
  server(line: string): void
  client(line: string): void
}

/** A program with both sides. It calls `over` at its end. */
type Program = (log: Log, over: () => void) => void

interface Lines {
  readonly server: readonly string[]
  readonly client: readonly string[]
}

/** Hides port numbers, which differ between the two networks. */
const named = (line: string) => line.replaceAll(/\b\d{4,5}\b/g, 'port')

async function inNode(program: Program): Promise<Lines> {
  const lines = { server: [] as string[], client: [] as string[] }
  await new Promise<void>((resolve) => {
    setImmediate(() =>
      program(
        { server: (line) => lines.server.push(named(line)), client: (line) => lines.client.push(named(line)) },
        resolve,
      ),
    )
  })
  return lines
}

async function inProcess(program: Program): Promise<Lines> {
  const lab = new Lab()
  const lines = { server: [] as string[], client: [] as string[] }
  let over = false
  lab.start(() =>
    program(
      { server: (line) => lines.server.push(named(line)), client: (line) => lines.client.push(named(line)) },
      () => (over = true),
    ),
  )
  await lab.run()
  expect([lab.deaths, lab.unsupportedThings]).toEqual([[], []])
  expect(over).toBe(true)
  return lines
}

const watch = (socket: net.Socket, log: (line: string) => void) => {
  for (const event of ['connect', 'end', 'close'])
    socket.on(event, (detail) => log(detail === undefined ? event : `${event} ${detail}`))
  socket.on('data', (data) => log(`data ${data}`))
  socket.on('error', (error) => log(error.message))
  return socket
}

const listening = (server: net.Server, then: (port: number) => void, host = '127.0.0.1') =>
  server.listen(0, host, () => then((server.address() as net.AddressInfo).port))

/** Returns a function that calls back at its second call. */
function whenBoth(over: () => void): () => void {
  let missing = 2
  return () => {
    if (--missing === 0) over()
  }
}

const programs: Record<string, Program> = {
  'a conversation that the server ends': (log, over) => {
    const closed = whenBoth(over)
    const server = net.createServer((socket) => {
      watch(socket, log.server).on('close', closed)
      socket.write('hello')
      socket.once('data', () => socket.end('goodbye'))
    })
    server.on('close', closed)
    listening(server, (port) => {
      const client = watch(net.connect(port, '127.0.0.1'), log.client)
      client.once('data', () => client.write('ask'))
      client.on('close', () => server.close())
    })
  },
  'a conversation that the client half-closes, if the server permits it': (log, over) => {
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      watch(socket, log.server)
      socket.on('end', () => socket.end('what you asked for'))
    })
    listening(server, (port) => {
      const client = watch(net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }), log.client)
      client.end('ask')
      client.on('close', () => server.close(over))
    })
  },
  'a client that resets': (log, over) => {
    const server = net.createServer((socket) => {
      watch(socket, log.server)
      socket.once('data', () => socket.write('go'))
      socket.on('close', () => server.close(over))
    })
    listening(server, (port) => {
      const client = watch(net.connect(port, '127.0.0.1'), log.client)
      client.write('ask')
      client.once('data', () => client.resetAndDestroy())
    })
  },
  'a server that resets': (log, over) => {
    const server = net.createServer(
      (socket) => void watch(socket, log.server).once('data', () => socket.resetAndDestroy()),
    )
    listening(server, (port) => {
      const client = watch(net.connect(port, '127.0.0.1'), log.client)
      client.write('ask')
      client.on('close', () => server.close(over))
    })
  },
  'a port in use, and a port that is free again': (log, over) => {
    const [first, second] = [net.createServer(), net.createServer()]
    listening(first, (port) => {
      second.once('error', (error: NodeJS.ErrnoException) => {
        log.server(`${error.message} ${error.code} ${error.syscall} ${error.errno} ${second.listening}`)
        first.close(() =>
          second.listen(port, '127.0.0.1', () => {
            log.server(`${JSON.stringify(second.address())} ${second.listening}`)
            second.close(over)
          }),
        )
      })
      second.listen(port, '127.0.0.1')
    })
  },
  'an address of another machine, an invalid port, a server that already listens, and one that does not': (
    log,
    over,
  ) => {
    const server = net.createServer()
    expect(() => server.listen(70_000)).toThrow('should be >= 0 and < 65536')
    server.close((error) => log.server(String(error)))
    server.once('error', (error) => {
      log.server(error.message)
      listening(server, (port) => {
        expect(() => server.listen(port)).toThrow('Listen method has been called more than once')
        server.close(over)
      })
    })
    server.listen(3000, '203.0.113.7')
  },
  'more connections than the server takes': (log, over) => {
    const server = net.createServer((socket) => socket.on('error', () => {}))
    server.maxConnections = 1
    server.on('drop', (what) => log.server(`drop ${Object.keys(what ?? {}).sort()}`))
    listening(server, (port) => {
      const first = net.connect(port, '127.0.0.1', () => {
        const second = watch(net.connect(port, '127.0.0.1'), log.client)
        second.on('close', () => {
          server.getConnections((_, count) => log.server(`${count} connection`))
          server.close(over)
          first.destroy()
        })
      })
    })
  },
  'no listener any more': (log, over) => {
    const server = net.createServer()
    listening(server, (port) => server.close(() => watch(net.connect(port, '127.0.0.1'), log.client).on('close', over)))
  },
  'HTTP: keep-alive, a chunked body, a truncated request, and a close that waits': (log, over) => {
    const closed = whenBoth(over)
    let cut = () => {}
    const server = http.createServer((request, response) => {
      log.server(`${request.method} ${request.url}`)
      request.on('aborted', () => {
        log.server('aborted')
        closed()
      })
      if (request.url === '/never') return cut()
      response.write('one, ')
      setTimeout(() => response.end('two'), 20)
    })
    server.on('close', () => log.server('closed'))
    listening(server, (port) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      const get = (path: string, then: () => void) =>
        http
          .get({ port, host: '127.0.0.1', path, agent }, (response) => {
            response.on('data', (data) => log.client(`${response.statusCode} ${data}`))
            response.on('end', then)
          })
          .on('error', (error) => {
            log.client(error.message)
            then()
          })
      get('/a', () => {
        get('/b', () => {
          const never = get('/never', () => server.close(closed))
          cut = () => void never.destroy(new Error('enough'))
        })
      })
    })
  },
}

describe('a server in a process behaves like one in Node:', () => {
  for (const [name, program] of Object.entries(programs))
    it(name, async () => {
      const real = await inNode(program)
      expect(await inProcess(program)).toEqual(real)
      expect([...real.server, ...real.client]).not.toEqual([])
    })
})

describe('a server in a process', () => {
  it('listens on all addresses of its machine by default', async () => {
    const lab = new Lab()
    const seen: string[] = []
    lab.start(() => {
      const server = net.createServer((socket) => {
        seen.push(`${socket.remoteAddress} at ${socket.localAddress}`)
        socket.end()
      })
      server.listen(3000, () => seen.push(JSON.stringify(server.address())))
    })
    lab.at(10, () => {
      lab.start(() => net.connect(3000, '10.0.1.1'), 1)
    })
    lab.at(20, () => {
      lab.start(() => net.connect(3000, 'localhost'))
    })
    await lab.run()
    expect(seen).toEqual([
      '{"address":"0.0.0.0","family":"IPv4","port":3000}',
      '10.0.1.2 at 10.0.1.1',
      '127.0.0.1 at 127.0.0.1',
    ])
  })

  it('is unreachable from other machines if it listens on loopback', async () => {
    const lab = new Lab()
    const errors: string[] = []
    lab.start(() => net.createServer().listen(3000, '127.0.0.1'))
    lab.at(10, () => {
      lab.start(() => net.connect(3000, '10.0.1.1').on('error', (error) => errors.push(error.message)), 1)
    })
    await lab.run()
    expect(errors).toEqual(['connect ECONNREFUSED 10.0.1.1:3000'])
  })

  it('over TLS, on a Unix socket or a descriptor is reported as unsupported', async () => {
    const lab = new Lab()
    lab.start(() => {
      expect(() => tls.createServer().listen(3000)).toThrow('a TLS server is not simulated')
      expect(() => net.createServer().listen('/tmp/socket')).toThrow('a server on a Unix socket is not simulated')
      expect(() => net.createServer().listen({ fd: 3 })).toThrow('a server on a descriptor is not simulated')
    })
    await lab.run()
    expect(lab.deaths).toEqual([])
    expect(lab.unsupportedThings).toHaveLength(3)
  })

  it('dates its replies by its own clock, unless the app sets the date or disables it', async () => {
    const lab = new Lab()
    const dates: unknown[] = []
    lab.start(() => {
      const server = http.createServer((request, response) => {
        if (request.url === '/own') response.setHeader('Date', 'today')
        if (request.url === '/pairs') response.writeHead(200, ['dAtE', 'today'])
        if (request.url === '/none') response.sendDate = false
        response.end()
      })
      server.listen(3000)
      for (const path of ['/', '/own', '/pairs', '/none'])
        http.get({ port: 3000, path, agent: false }, (response) => dates.push([path, response.headers.date]))
    })
    await lab.run()
    expect(Object.fromEntries(dates as [string, unknown][])).toEqual({
      '/': 'Thu, 01 Jan 2026 00:00:00 GMT',
      '/own': 'today',
      '/pairs': 'today',
      '/none': undefined,
    })
  })

  it('closes idle connections in the order of their arrival', async () => {
    const lab = new Lab()
    const closed: number[] = []
    lab.start(() => {
      const server = http.createServer((_, response) => void response.end())
      server.listen(3000)
      const ask = (at: number) => {
        const socket = net.connect(3000, '127.0.0.1')
        socket.on('close', () => closed.push(at)).resume()
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
        return socket
      }
      // The later connections reuse the parsers of these connections, in another order.
      const early = Array.from({ length: 40 }, (_, at) => ask(-at))
      for (const at of [7, 3, 31, 12, 25, 1, 39, 18]) setTimeout(() => early[at]!.destroy(), 100 + at)
      setTimeout(() => {
        for (let at = 1; at <= 30; at++) ask(at)
      }, 200)
      setTimeout(() => server.close(), 1000)
    })
    await lab.run()
    const late = closed.filter((at) => at > 0)
    expect(late).toEqual([...late].sort((a, b) => a - b))
    expect(late).toHaveLength(30)
  })

  it('starts no timer itself', async () => {
    const lab = new Lab()
    const limits: number[] = []
    lab.timerStarted = (ms?: number) => void limits.push(ms!)
    lab.start(() => http.createServer().listen(3000))
    await lab.run()
    expect(limits).toEqual([])
    expect(lab.kernel.nowUs).toBe(0)
  })
})

/**
 * A server in slot 0, and a client in slot 1 that sends a request every 100 ms over one connection.
 */
function apart() {
  const lab = new Lab()
  const seen: string[] = []
  const serve = () =>
    net.createServer((socket) => socket.on('error', () => {}).on('data', () => socket.write('pong'))).listen(3000)
  const server = lab.start(serve)
  const client = () => {
    const socket = net.connect(3000, '10.0.1.1')
    const timer = setInterval(() => socket.write('ping'), 100)
    watch(socket, (line) => seen.push(`${line} in ${Math.floor(performance.now() / 100)}`)).on('close', () =>
      clearInterval(timer),
    )
  }
  lab.at(10, () => lab.start(client, 1))
  return { lab, seen, server, serve, client, link: lab.network.link(1, 'consumer-1') }
}

describe('a client in another process', () => {
  it('is answered over the link between the machines', async () => {
    const { lab, seen } = apart()
    await lab.run({ timeUs: 350_000 })
    expect(seen).toEqual(['connect in 0', 'data pong in 1', 'data pong in 2', 'data pong in 3'])
  })

  it('receives nothing while the link from the server is partitioned, and everything afterwards', async () => {
    const { lab, seen, link } = apart()
    lab.at(250, () => link.toProcess.block())
    lab.at(1050, () => link.toProcess.unblock())
    await lab.run({ timeUs: 1_500_000 })
    expect(seen.filter((line) => /in [3-9]$/.test(line))).toEqual([])
    expect(seen.filter((line) => line.startsWith('data')).length).toBeGreaterThan(11)
  })

  it('is connected and waits while the server is paused', async () => {
    const { lab, seen, server } = apart()
    lab.at(5, () => server.pause())
    lab.at(1000, () => expect(seen).toEqual(['connect in 0']))
    lab.at(1000, () => server.resume())
    await lab.run({ timeUs: 1_200_000 })
    // The server reads all requests of the pause at once.
    expect(seen).toEqual(['connect in 0', 'data pong in 9', 'data pong in 10', 'data pong in 11'])
  })

  it('is not accepted if it connects in the turn in which it was paused, and destroys its socket in that turn', async () => {
    const accepted = async (givesUp: boolean) => {
      const lab = new Lab()
      let count = 0
      lab.start(() => net.createServer(() => count++).listen(3000))
      const client = lab.start(() => {
        client.pause()
        const socket = net.connect(3000, '10.0.1.1')
        // At this point, the client has called connect(2).
        if (givesUp) process.nextTick(() => process.nextTick(() => socket.destroy()))
      }, 1)
      lab.at(100, () => client.resume())
      await lab.run()
      return count
    }
    expect([await accepted(false), await accepted(true)]).toEqual([1, 0])
  })

  it('is reset by a crash of the server, then refused, and served by the successor', async () => {
    const { lab, seen, server, serve, client } = apart()
    lab.at(250, () => server.end())
    lab.at(500, () => lab.start(client, 1, 2))
    lab.at(1000, () => lab.start(serve, 0, 2))
    lab.at(1100, () => lab.start(client, 1, 3))
    await lab.run({ timeUs: 1_350_000 })
    expect(seen.map((line) => line.replace(/ in \d+$/, ''))).toEqual([
      ...['connect', 'data pong', 'data pong', 'read ECONNRESET', 'close true'],
      ...['connect ECONNREFUSED 10.0.1.1:3000', 'close true'],
      ...['connect', 'data pong', 'data pong'],
    ])
  })

  it('is reset if the server process ends before it has accepted the connection', async () => {
    const { lab, seen, server } = apart()
    lab.at(5, () => server.pause())
    lab.at(50, () => server.end())
    await lab.run({ timeUs: 1_000_000 })
    expect(seen).toEqual(['connect in 0', 'read ECONNRESET in 0', 'close true in 0'])
  })

  it('gives up after 127 s on a machine that does not answer', async () => {
    const { lab, seen, link } = apart()
    link.toNode.block()
    await lab.run({ timeUs: 200_000_000 })
    expect(seen).toEqual(['connect ETIMEDOUT 10.0.1.1:3000 in 1270', 'close true in 1270'])
  })

  it('leaves the server a prefix of its writes and a reset when it crashes', async () => {
    const lab = new Lab()
    const seen: string[] = []
    lab.start(() => net.createServer((socket) => void watch(socket, (line) => seen.push(line))).listen(3000))
    const client = lab.start(() => {
      const socket = net.connect(3000, '10.0.1.1', () => {
        for (const part of ['a', 'b', 'c']) socket.write(part)
        queueMicrotask(() => client.end())
      })
    }, 1)
    await lab.run()
    expect(seen.at(-2)).toBe('read ECONNRESET')
    expect('data a data b data c'.startsWith(seen.slice(0, -2).join(' '))).toBe(true)
  })
})
