import dns from 'node:dns'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Listener } from '../../../src/network/client-side.ts'
import { Lab } from '../../lab.ts'

const require = createRequire(import.meta.url)

/** The result of asynchronous work in a process, and its time in virtual milliseconds. */
async function inProcess<T>(work: () => Promise<T>, lab = new Lab()): Promise<{ got: T; atMs: number; lab: Lab }> {
  const done: { got: T; atMs: number }[] = []
  lab.start(async () => {
    const got = await work().catch((error: unknown) => error as T)
    done.push({ got, atMs: performance.now() })
  })
  await lab.run()
  if (done.length === 0) throw new Error('it hangs')
  return { ...done[0]!, lab }
}

const long = 'onceproof '.repeat(100_000)

describe('a zlib stream', () => {
  const pairs: [string, () => zlib.Gzip, () => zlib.Gunzip][] = [
    ['gzip', () => zlib.createGzip(), () => zlib.createGunzip()],
    ['deflate', () => zlib.createDeflateRaw(), () => zlib.createInflateRaw()],
    ['brotli', () => zlib.createBrotliCompress() as never, () => zlib.createBrotliDecompress() as never],
  ]
  for (const [name, compress, decompress] of pairs)
    it(`ends in a process at the same virtual time, with the same bytes: ${name}`, async () => {
      const squeeze = async () => {
        const packed: Buffer[] = []
        const compressing = compress()
        compressing.end(long)
        for await (const chunk of compressing) packed.push(chunk as Buffer)
        const decompressing = decompress()
        decompressing.end(Buffer.concat(packed))
        return { packed: Buffer.concat(packed).toString('base64'), back: await text(decompressing) }
      }
      const { got, atMs } = await inProcess(squeeze)
      expect(got.back).toBe(long)
      expect(atMs).toBe(0)
      expect(got.packed).toBe((await squeeze()).packed)
    })

  it('fails with the error of Node', async () => {
    const broken = () => {
      const stream = zlib.createGunzip()
      stream.end('no gzip')
      return text(stream)
    }
    const { got } = await inProcess(broken)
    expect(got).toMatchObject({ code: 'Z_DATA_ERROR' })
    await expect(broken()).rejects.toMatchObject({ code: 'Z_DATA_ERROR' })
  })

  it('works in a process as part of CompressionStream, and a Blob returns its text', async () => {
    const { got, lab } = await inProcess(async () => {
      const stream = new CompressionStream('gzip')
      const writer = stream.writable.getWriter()
      void writer.write(new TextEncoder().encode('text'))
      void writer.close()
      const chunks: Uint8Array[] = []
      for await (const chunk of stream.readable as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk)
      return zlib.gunzipSync(Buffer.concat(chunks)).toString() + (await new Blob(['blob']).text())
    })
    expect(got).toBe('textblob')
    expect(lab.unsupportedThings).toEqual([])
  })
})

describe('a name server', () => {
  const world = () => {
    const lab = new Lab()
    lab.names.set('redis', '10.0.0.1')
    return lab
  }

  it('knows only the hosts of the world', async () => {
    const resolver = new dns.promises.Resolver()
    const { got } = await inProcess(
      () =>
        Promise.all([
          dns.promises.resolve4('redis'),
          resolver.resolve4('redis'),
          resolver.resolve('redis'),
          dns.promises.resolve4('redis', { ttl: true }),
          promisify(dns.resolve4)('redis'),
          promisify(new dns.Resolver().resolve4.bind(new dns.Resolver()))('redis'),
          resolver.resolve6('redis').catch((error) => error.code),
          dns.promises.resolve4('nobody').catch((error) => error.message),
        ]),
      world(),
    )
    const known = ['10.0.0.1']
    const ttl = [{ address: '10.0.0.1', ttl: 60 }]
    expect(got).toEqual([known, known, known, ttl, known, known, 'ENODATA', 'queryA ENOTFOUND nobody'])
  })

  it('refuses requests for other records by name', async () => {
    const { lab } = await inProcess(() => new dns.promises.Resolver().resolveSrv('redis'), world())
    expect(lab.unsupportedThings).toEqual(['dns.promises.Resolver.resolveSrv, which leaves the simulation'])
  })
})

describe('Atomics.waitAsync', () => {
  const shared = () => new Int32Array(new SharedArrayBuffer(8))
  type Waiting = { async: boolean; value: Promise<string> | string }
  const waitAsync = (Atomics as unknown as { waitAsync(...args: unknown[]): Waiting }).waitAsync

  it('waits in virtual time, and wakes waiters in order', async () => {
    const log: string[] = []
    const lab = new Lab()
    lab.start(async () => {
      const array = shared()
      const note = (name: string) => async () =>
        log.push(`${name} ${await waitAsync(array, 0, 0, 500).value} at ${performance.now()}`)
      const waits = ['a', 'b', 'c'].map((name) => note(name)())
      setTimeout(() => log.push(`woken ${Atomics.notify(array, 0, 1)}, elsewhere ${Atomics.notify(array, 1)}`), 20)
      await Promise.all(waits)
      log.push(String(waitAsync(array, 0, 7).value))
    })
    await lab.run()
    expect(log).toEqual(['woken 1, elsewhere 0', 'a ok at 20', 'b timed-out at 500', 'c timed-out at 500', 'not-equal'])
  })

  it('is available, unlike Atomics.wait, which blocks a thread', async () => {
    const lab = new Lab()
    lab.start(() => Atomics.wait(shared(), 0, 0, 10))
    await lab.run()
    expect(lab.unsupportedThings).toEqual(['Atomics.wait, which leaves the simulation'])
  })
})

describe('an HTTP client', () => {
  /** Answers each request on the simulated network. */
  const serve = (lab: Lab) => {
    const accepted: number[] = []
    const listener: Listener = {
      accept(client) {
        accepted.push(lab.kernel.nowUs)
        const received = (bytes: string) => {
          for (const _ of bytes.matchAll(/\r\n\r\n/g))
            client.reply('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', null)
        }
        return { received, closed() {} }
      },
    }
    lab.network.listen('10.0.0.5', 80, 'web', listener, null)
    return accepted
  }

  it('uses the network of the world, and keeps connections for each process', async () => {
    const http = require('node:http')
    const lab = new Lab()
    const accepted = serve(lab)
    const answers: string[] = []
    const get = () =>
      new Promise<string>((resolve, reject) =>
        http
          .get('http://10.0.0.5/x', (response: never) => void text(response).then(resolve, reject))
          .on('error', reject),
      )
    for (const slot of [0, 1])
      lab.start(async () => {
        answers.push(await get(), await get())
      }, slot)
    await lab.run()
    expect(lab.deaths).toEqual([])
    expect(answers).toEqual(['hello', 'hello', 'hello', 'hello'])
    expect(accepted).toHaveLength(2)
    expect(lab.unsupportedThings).toEqual([])
  })

  it('is refused by name for HTTP/2', async () => {
    const lab = new Lab()
    lab.start(() => require('node:http2').connect('http://10.0.0.5'))
    await lab.run()
    expect(lab.unsupportedThings).toEqual(['http2.connect, which leaves the simulation'])
  })
})

describe('global state of Node', () => {
  it('is separate for each process: environment, exit code, console, properties of `process`', async () => {
    const lab = new Lab()
    const seen: unknown[] = []
    const real = { exitCode: process.exitCode, argv: process.argv.length, zone: process.env.TZ }
    for (const slot of [0, 1])
      lab.start(() => {
        seen.push([process.env.MINE, process.exitCode, (process as { mine?: number }).mine])
        process.env.MINE = slot as never
        process.exitCode = 7
        process.argv.push('more')
        Object.assign(process, { mine: slot })
        console.count()
        console.group('group')
        console.log('inside')
        process.stdout.write('written\n')
        seen.push(process.env.MINE)
      }, slot)
    await lab.run()
    const nothing = [undefined, undefined, undefined]
    expect(seen).toEqual([nothing, '0', nothing, '1'])
    expect({ exitCode: process.exitCode, argv: process.argv.length, zone: process.env.TZ }).toEqual(real)
    expect(lab.logs.slice(0, 4)).toEqual([
      '0 consumer-1 stdout default: 1',
      '0 consumer-1 stdout group',
      '0 consumer-1 stdout   inside',
      '0 consumer-1 stdout written',
    ])
    expect(lab.logs[4]).toBe('0 consumer-2 stdout default: 1')
  })

  it('has a fixed time zone: another time zone is refused by name', async () => {
    const lab = new Lab()
    lab.start(() => (process.env.TZ = 'Asia/Tokyo'))
    await lab.run()
    expect(lab.unsupportedThings).toEqual(['process.env.TZ = Asia/Tokyo: the time zone of a process is UTC'])
  })

  it('includes descriptors of standard output, which lead to the log', async () => {
    const lab = new Lab()
    const fs = require('node:fs')
    lab.start(() => {
      fs.writeSync(1, 'line\n')
      fs.write(2, Buffer.from('__error__'), 2, 5, () => console.log('done'))
    })
    await lab.run()
    expect(lab.logs).toEqual(['0 consumer-1 stdout line', '0 consumer-1 stderr error', '0 consumer-1 stdout done'])
  })

  it('includes refused members that Node itself may use in allowed calls', async () => {
    const { got, lab } = await inProcess(
      async () => (await new Response('body').text()) + (await Response.json(1).text()),
    )
    expect(got).toBe('body1')
    expect(lab.unsupportedThings).toEqual([])
  })

  it('includes refused functions of fs that a failing assertion may use', async () => {
    const lab = new Lab()
    lab.start(() => {
      try {
        require('node:assert')(false)
      } catch {
        // Node reads the source of the assertion.
      }
    })
    await lab.run()
    expect(lab.unsupportedThings).toEqual([])
  })
})

describe('process.binding', () => {
  const { binding } = process as unknown as { binding: (name: string) => { [member: string]: unknown } }
  const real = binding('util')

  it('answers like Node for a module without state and for an unknown module', async () => {
    const { got, lab } = await inProcess(async () => {
      const { binding: own } = process as unknown as { binding: typeof binding }
      return [own('util'), (() => expect(() => own('none')).toThrow('No such module: none'))()]
    })
    expect(Object.keys((got as object[])[0]!)).toEqual(Object.keys(real))
    expect(lab.unsupportedThings).toEqual([])
  })

  it('has inspectable members, and makes the result of a run unknown once they are used', async () => {
    const own = () => (process as unknown as { binding: typeof binding }).binding('fs')
    expect((await inProcess(async () => typeof own().open)).lab.unsupportedThings).toEqual([])
    const { got, lab } = await inProcess(async () => (own().open as () => void)())
    expect(got).toMatchObject({ code: 'ERR_NOT_SIMULATED' })
    expect(lab.unsupportedThings).toEqual([expect.stringMatching(/^process\.binding\('fs'\)\.open, which leaves/)])
  })
})
