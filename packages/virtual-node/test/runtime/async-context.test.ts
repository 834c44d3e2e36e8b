import { AsyncLocalStorage } from 'node:async_hooks'
import crypto from 'node:crypto'
import dns from 'node:dns'
import fs from 'node:fs'
import timersPromises from 'node:timers/promises'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectAlike, type Program } from './both.ts'

const storage = new AsyncLocalStorage<string>()

type Reported = (report: (what: string) => void, over: () => void) => void

/** Appends the current store to each line. */
const inStores =
  (program: Reported): Program =>
  (log, over) =>
    program((what) => log(`${what}: ${storage.getStore() ?? 'no store'}`), over)

const alike = (program: Reported) => expectAlike(inStores(program))

describe('the store of AsyncLocalStorage is the same as in real Node', () => {
  it('in a callback: the store in which the callback was created', async () => {
    const lines = await alike((report, over) => {
      storage.run('a', () => {
        setTimeout((what: string) => report(what), 20, 'timeout')
        setImmediate(() => report('immediate'))
        process.nextTick(() => report('tick'))
        queueMicrotask(() => report('microtask'))
        void timersPromises.setTimeout(40).then(() => report('promise'))
      })
      setTimeout(() => report('outside'), 60)
      setTimeout(over, 80)
    })
    expect(lines).toEqual(['tick: a', 'microtask: a', 'immediate: a', 'timeout: a', 'promise: a', 'outside: no store'])
  })

  it('in each round of an interval: the store in which the interval was created; in new timers: their own store', async () => {
    const lines = await alike((report, over) => {
      let rounds = 0
      const interval = storage.run('a', () =>
        setInterval(() => {
          report('interval')
          if (++rounds < 3) return
          clearInterval(interval)
          storage.run('b', () =>
            setTimeout(() => {
              report('begotten')
              over()
            }, 20),
          )
        }, 20),
      )
    })
    expect(lines).toEqual(['interval: a', 'interval: a', 'interval: a', 'begotten: b'])
  })

  it('in a refreshed timer: the store in which it was created, or restarted after it had fired', async () => {
    const lines = await alike((report, over) => {
      storage.run('a', () => {
        const waiting = setTimeout(() => report('refreshed while it waits'), 40)
        const early = setTimeout(() => report('refreshed when it is over'), 1)
        let rounds = 0
        const own: NodeJS.Timeout = setTimeout(() => {
          report('refreshed by its own callback')
          if (++rounds < 2) storage.run('d', () => own.refresh())
        }, 80)
        storage.run('b', () => waiting.refresh())
        setTimeout(() => storage.run('c', () => early.refresh()), 60)
      })
      setTimeout(over, 200)
    })
    expect(lines).toEqual([
      'refreshed when it is over: a',
      'refreshed while it waits: a',
      'refreshed when it is over: c',
      'refreshed by its own callback: a',
      'refreshed by its own callback: a',
    ])
  })

  it('in listeners of a timeout signal: the store in which the signal was created', async () => {
    const lines = await alike((report, over) => {
      const signal = storage.run('a', () => AbortSignal.timeout(20))
      const listen = () =>
        signal.addEventListener('abort', () => {
          report('abort')
          over()
        })
      storage.run('b', listen)
    })
    expect(lines).toEqual(['abort: a'])
  })

  const asks: [string, (done: () => void) => void][] = [
    ['a file', (done) => fs.stat('package.json', done)],
    ['random bytes', (done) => crypto.randomBytes(4, done)],
    ['random bytes', (done) => crypto.randomFill(Buffer.alloc(4), done)],
    ['a derived key', (done) => crypto.pbkdf2('secret', 'salt', 1, 8, 'sha1', done)],
    ['a compression', (done) => zlib.gzip('text', done)],
    ['an address', (done) => dns.lookup('127.0.0.1', done)],
    ['a write to standard output', (done) => process.stdout.write('', done)],
  ]
  it.each(asks)('in a callback of an asynchronous call: %s', async (_, ask) => {
    const lines = await alike((report, over) => {
      const answered = () => {
        report('answer')
        over()
      }
      storage.run('a', () => ask(answered))
    })
    expect(lines).toEqual(['answer: a'])
  })

  it('in events of a zlib stream: the store in which the stream was created', async () => {
    const lines = await alike((report, over) => {
      const stream = storage.run('a', () => zlib.createGzip())
      stream.on('data', () => report('data'))
      setTimeout(over, 40)
      storage.run('b', () => stream.write('text'))
      storage.run('c', () => stream.flush(() => report('flushed')))
    })
    expect(lines.length).toBeGreaterThan(1)
  })
})
