import { type ChildProcess, spawn } from 'node:child_process'
import net from 'node:net'
import { Redis, type RedisOptions } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { respServer } from './resp-server.ts'
import { type Client, expectAlike, onRealSockets, onVirtualSockets, playClient } from './sides.ts'

const twoRetries = (times: number) => (times > 2 ? null : 20)
type Log = (line: string) => void
const text = (error: Error & { code?: string }) =>
  `${error.name}${error.code ? ` ${error.code}` : ''}: ${error.message}`

/** A client that logs all its events. The program ends a little after the client's `end` event. */
function watched(at: { host: string; port: number }, options: RedisOptions, log: Log, over: () => void): Redis {
  const all: RedisOptions = { ...at, retryStrategy: twoRetries, ...options }
  const redis = new Redis(all as never)
  for (const event of ['wait', 'connecting', 'connect', 'ready', 'close', 'reconnecting'])
    redis.on(event, () => log(`${event} (${redis.status})`))
  redis.on('error', (error) => log(`error ${text(error)}`))
  redis.on('end', () => {
    log('end')
    setTimeout(over, 30)
  })
  return redis
}

/** Logs the result of a command. */
function reported(log: Log, name: string, command: Promise<unknown>): Promise<void> {
  return command.then(
    (value) => log(`${name} → ${JSON.stringify(value)}`),
    (error: Error) => log(`${name} ✗ ${text(error)}`),
  )
}

const oneRetry: RedisOptions = { retryStrategy: (times) => (times > 1 ? null : 20) }
const noRetry: RedisOptions = { retryStrategy: () => null }

/**
 * Runs the work with a client of these options. If `timeoutMs` is given, the program ends after
 * that time, even without an `end` event.
 */
const play =
  (options: RedisOptions, work: (redis: Redis, log: Log) => unknown, timeoutMs = 0): Client =>
  (at, log, over) => {
    const redis = watched(at, options, log, over)
    void work(redis, log)
    if (timeoutMs === 0) return
    setTimeout(() => {
      log(`at last ${redis.status}`)
      redis.disconnect()
      over()
    }, timeoutMs)
  }

/** Cases with a server that answers. */
const served: Record<string, Client> = {
  'connect, a few commands, quit': play({}, async (redis, log) => {
    log(redis.status)
    await reported(log, 'get a', redis.get('a'))
    await reported(log, 'set a', redis.set('a', '1', 'EX', 10))
    await reported(log, 'fail', redis.call('FAIL'))
    await reported(log, 'pipeline', redis.pipeline().get('a').call('FAIL').ping().exec())
    await reported(log, 'quit', redis.quit())
    await reported(log, 'get after quit', redis.get('a'))
  }),
  'a refused request for RESP3': play({ protocol: 3 } as RedisOptions, async (redis, log) => {
    await reported(log, 'get a', redis.get('a'))
    redis.disconnect()
  }),
  'without a ready check, without client info': play(
    { enableReadyCheck: false, disableClientInfo: true },
    async (redis, log) => {
      await reported(log, 'get a', redis.get('a'))
      redis.disconnect()
    },
  ),
  'lazyConnect, by a call of connect()': play({ lazyConnect: true }, async (redis, log) => {
    log(redis.status)
    await reported(log, 'connect', redis.connect())
    await reported(log, 'connect again', redis.connect())
    await reported(log, 'get a', redis.get('a'))
    redis.disconnect()
  }),
  'lazyConnect, by the first command': play({ lazyConnect: true }, async (redis, log) => {
    await reported(log, 'get a', redis.get('a'))
    redis.disconnect()
  }),
  'disconnect() at once': play({}, (redis, log) => {
    void reported(log, 'get a', redis.get('a'))
    redis.disconnect()
  }),
  'disconnect() with commands in flight': play({}, (redis, log) => {
    redis.once('ready', () => {
      void reported(log, 'get hang', redis.get('hang'))
      void reported(log, 'get a', redis.get('a'))
      setTimeout(() => redis.disconnect(), 30)
    })
  }),
  'disconnect(true): a new connection': play(oneRetry, (redis, log) => {
    redis.once('ready', () => {
      redis.disconnect(true)
      redis.once('ready', () => void reported(log, 'get a', redis.get('a')).then(() => redis.disconnect()))
    })
  }),
  'quit with a command in flight': play({}, (redis, log) => {
    redis.once('ready', () => {
      void reported(log, 'get slow', redis.get('slow'))
      void reported(log, 'quit', redis.quit())
    })
  }),
  'the server closes while idle': play(oneRetry, async (redis, log) => {
    await reported(log, 'get close-soon', redis.get('close-soon'))
    redis.once('close', () => redis.once('ready', () => redis.disconnect()))
  }),
  'the server closes while idle, without a retry': play(noRetry, async (redis, log) => {
    await reported(log, 'get close-soon', redis.get('close-soon'))
    redis.once('end', () => void reported(log, 'get a', redis.get('a')))
  }),
  'the server resets while idle': play(oneRetry, async (redis, log) => {
    await reported(log, 'get reset-soon', redis.get('reset-soon'))
    redis.once('close', () => redis.once('ready', () => redis.disconnect()))
  }),
  'the server closes with a command in flight, which is sent again': play({}, async (redis, log) => {
    await reported(log, 'get close-once', redis.get('close-once'))
    redis.disconnect()
  }),
  'the server resets with a command in flight, which is sent again': play({}, async (redis, log) => {
    await reported(log, 'get reset-once', redis.get('reset-once'))
    redis.disconnect()
  }),
  'the server resets with commands in flight, and they are not sent again': play(
    { autoResendUnfulfilledCommands: false },
    (redis, log) => {
      void reported(log, 'get reset-once', redis.get('reset-once'))
      void reported(log, 'get a', redis.get('a'))
      redis.once('close', () => redis.once('ready', () => void reported(log, 'get b', redis.get('b'))))
    },
    250,
  ),
  'a pipeline, cut after its first reply': play(
    {},
    (redis, log) => {
      redis.once(
        'ready',
        () => void reported(log, 'pipeline', redis.pipeline().get('a').get('reset-once').get('b').exec()),
      )
    },
    250,
  ),
  'a truncated transaction': play(
    {},
    (redis, log) => {
      redis.once('ready', () => void reported(log, 'multi', redis.multi().set('a', '1').get('reset-once').exec()))
    },
    250,
  ),
  // The option is set after the handshake, which would have the same timeout and may take longer on
  // a busy machine.
  commandTimeout: play({}, (redis, log) => {
    redis.once('ready', () => {
      redis.options.commandTimeout = 60
      void reported(log, 'get hang', redis.get('hang')).then(() => redis.disconnect())
    })
  }),
  'socketTimeout: the server no longer answers': play(
    { ...oneRetry, socketTimeout: 60 } as RedisOptions,
    (redis, log) => {
      redis.once(
        'ready',
        () => void reported(log, 'get hang-once', redis.get('hang-once')).then(() => redis.disconnect()),
      )
    },
  ),
  'no offline queue': play({ enableOfflineQueue: false }, (redis, log) => {
    void reported(log, 'get a', redis.get('a'))
    redis.once('ready', () => void reported(log, 'get b', redis.get('b')).then(() => redis.disconnect()))
  }),
  reconnectOnError: play({ reconnectOnError: () => 1 }, async (redis, log) => {
    await reported(log, 'fail', redis.call('FAIL'))
    redis.once('close', () => redis.once('ready', () => redis.disconnect()))
  }),
  'two clients': (at, log, over) => {
    let ends = 0
    const end = () => ++ends === 2 && over()
    const [a, b] = ['a', 'b'].map((name) => watched(at, {}, (line) => name === 'a' && log(line), end)) as [Redis, Redis]
    a.once('ready', async () => {
      await reported(log, 'a', a.get('a'))
      await reported(log, 'b', b.get('b'))
      await b.quit()
      await a.quit()
    })
  },
}

/** Cases in which nothing listens. */
const refused: Record<string, Client> = {
  'until no retries remain': play({}, (redis, log) => void reported(log, 'get a', redis.get('a'))),
  'and a request runs out of retries first': play(
    { maxRetriesPerRequest: 1, retryStrategy: (times) => (times > 3 ? null : 10) },
    (redis, log) => void reported(log, 'get a', redis.get('a')),
  ),
  'without retries, lazily': play({ ...noRetry, lazyConnect: true }, (redis, log) => {
    void reported(log, 'connect', redis.connect())
  }),
  'and disconnect() between two tries': play(
    { retryStrategy: () => 50 },
    (redis) => void redis.once('reconnecting', () => setTimeout(() => redis.disconnect(), 10)),
    250,
  ),
}

describe('ioredis observes the same on virtual sockets as on real ones:', () => {
  for (const [name, client] of Object.entries(served))
    it(name, async () => {
      const events = await expectAlike(respServer, client)
      expect(events.at(-1)).toBeDefined()
    })

  it('a server that closes every connection at once', async () => {
    const client = play(
      { ...oneRetry, maxRetriesPerRequest: 0 },
      (redis, log) => void reported(log, 'get', redis.get('a')),
    )
    await expectAlike(() => ({ connected: (peer) => peer.end() }), client)
  })

  for (const [name, client] of Object.entries(refused))
    it(`connection refused, ${name}`, async () => {
      const events = await expectAlike(null, client)
      expect(events).toContain('error Error ECONNREFUSED: connect ECONNREFUSED server:port')
    })

  it('an unknown host name', async () => {
    const client = play(
      { ...oneRetry, host: 'nobody.invalid' },
      (redis, log) => void reported(log, 'get a', redis.get('a')),
    )
    const real = await onRealSockets(null, client)
    // A machine without a name server cannot know that the host does not exist. All other lines are
    // equal.
    const asIfAnswered = real.map((line) => line.replaceAll('EAI_AGAIN', 'ENOTFOUND'))
    expect(await onVirtualSockets(null, client)).toEqual(asIfAnswered)
    expect(asIfAnswered).toContain('error Error ENOTFOUND: getaddrinfo ENOTFOUND nobody.invalid')
  })
})

/** A child that listens and never accepts. Once its backlog is full, SYNs are dropped. */
const deafServer = `
  const server = require('net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('fs').writeSync(1, server.address().port + '\\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

describe('ioredis observes the same on virtual sockets as on real ones if no answer comes:', () => {
  const children: ChildProcess[] = []
  const fillers: net.Socket[] = []
  afterEach(() => {
    for (const socket of fillers.splice(0)) socket.destroy()
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  function start(source: string): Promise<{ child: ChildProcess; port: number }> {
    const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    return new Promise((resolve) => child.stdout!.once('data', (data) => resolve({ child, port: Number(data) })))
  }

  /** Connects until the kernel accepts no more. */
  async function fill(port: number): Promise<void> {
    for (let taken = true; taken; ) {
      const socket = net.connect(port, '127.0.0.1').on('error', () => {})
      fillers.push(socket)
      taken = await new Promise((resolve) => {
        socket.once('connect', () => resolve(true))
        // The immediate comes after one more poll of sockets, because this process may have been
        // late.
        setTimeout(() => setImmediate(() => resolve(false)), 300)
      })
    }
  }

  it('a connection that is never answered', async () => {
    const client = play(
      { ...oneRetry, connectTimeout: 80 },
      (redis, log) => void reported(log, 'get a', redis.get('a')),
    )
    const { port } = await start(deafServer)
    await fill(port)
    const real = await playClient({ host: '127.0.0.1', port }, client)
    const virtual = await onVirtualSockets(respServer, client, (lab, consumer) =>
      lab.network.link(consumer.slot, 'server').toNode.block(),
    )
    expect(virtual).toEqual(real)
    expect(real).toContain('error Error ETIMEDOUT: connect ETIMEDOUT')
  })

  it('a server that vanishes with a command in flight: nothing happens before a timeout', async () => {
    const client = play(oneRetry, (redis, log) => {
      redis.once('ready', () => {
        redis.options.commandTimeout = 150
        setTimeout(() => {
          void reported(log, 'get a', redis.get('a'))
          setTimeout(() => log('nothing yet'), 100)
          setTimeout(() => redis.disconnect(), 250)
        }, 60)
      })
    })
    // A stopped server is as silent as a server behind a cut cable. Only the client's machine could
    // detect the difference.
    const { child, port } = await start(`
      require('net').createServer((socket) => socket.on('data', (data) => {
        for (const [, name] of String(data).matchAll(/\\$\\d\\r\\n(info|client|hello)/gi))
          socket.write({ i: '$9\\r\\nloading:0\\r\\n', c: '+OK\\r\\n', h: '-NOPROTO\\r\\n' }[name[0].toLowerCase()])
      })).listen({ port: 0, host: '127.0.0.1' }, function () { console.log(this.address().port) })`)
    const real = await playClient({ host: '127.0.0.1', port }, (at, log, over) => {
      const stopping = (line: string) => {
        if (line.startsWith('ready')) child.kill('SIGSTOP')
        log(line)
      }
      client(at, stopping, over)
    })
    const virtual = await onVirtualSockets(respServer, client, (lab, consumer) => {
      const { toNode, toProcess } = lab.network.link(consumer.slot, 'server')
      lab.at(50, () => {
        toNode.block()
        toProcess.block()
      })
    })
    expect(virtual).toEqual(real)
    expect(real).toContain('get a ✗ Error: Command timed out')
  })
})

describe('the comparison', () => {
  it('detects a reset instead of a close', async () => {
    const resets = play(noRetry, (redis, log) => void reported(log, 'get reset', redis.get('reset')))
    const closes = play(noRetry, (redis, log) => void reported(log, 'get reset', redis.get('close')))
    expect(await onVirtualSockets(respServer, closes)).not.toEqual(await onRealSockets(respServer, resets))
  })
})
