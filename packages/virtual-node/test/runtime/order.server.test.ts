import { EventEmitter, once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { expectAlike, inVirtualNode, type Program } from './both.ts'

describe('callbacks come in the order of real Node:', () => {
  it('ticks before microtasks, before immediates, before timers', async () => {
    const lines = await expectAlike((log, over) => {
      setTimeout(() => log('timeout'), 20)
      setImmediate(() => log('immediate'))
      Promise.resolve().then(() => log('promise'))
      queueMicrotask(() => log('microtask'))
      process.nextTick(() => log('tick'))
      setTimeout(over, 40)
      log('synchronous')
    })
    expect(lines).toEqual(['synchronous', 'tick', 'promise', 'microtask', 'immediate', 'timeout'])
  })

  it('ticks and microtasks that create each other', () =>
    expectAlike((log, over) => {
      process.nextTick(() => {
        log('tick 1')
        Promise.resolve().then(() => {
          log('promise in tick')
          process.nextTick(() => log('tick in promise in tick'))
        })
        process.nextTick(() => log('tick in tick'))
      })
      Promise.resolve().then(() => {
        log('promise 1')
        process.nextTick(() => log('tick in promise'))
        queueMicrotask(() => log('microtask in promise'))
      })
      ;(async () => {
        for (let i = 0; i < 4; i++) {
          await null
          log(`await ${i}`)
        }
      })()
      setImmediate(over)
    }))

  it('immediates created by immediates, and their later work', () =>
    expectAlike((log, over) => {
      setImmediate(() => {
        log('a')
        process.nextTick(() => log('tick of a'))
        setImmediate(() => log('child of a'))
        setImmediate(() => setImmediate(over))
      })
      setImmediate(() => {
        log('b')
        Promise.resolve().then(() => log('promise of b'))
      })
    }))

  it('timers by delay, and first in, first out for one delay', () =>
    expectAlike((log, over) => {
      for (const [name, ms] of [
        ['d', 60],
        ['a', 0],
        ['b', 1],
        ['c', 30],
        ['c2', 30],
        ['b2', 1],
      ] as const)
        setTimeout(() => log(name), ms)
      setTimeout(over, 90)
    }))

  it('a timer that a timer starts, with the later work of both', () =>
    expectAlike((log, over) => {
      setTimeout(() => {
        log('first')
        process.nextTick(() => log('tick of first'))
        setTimeout(() => {
          log('child')
          over()
        }, 30)
        setImmediate(() => log('immediate of first'))
      }, 10)
      setTimeout(() => log('second'), 10)
    }))

  it('an interval, after timers that its callback started for the same time', () =>
    expectAlike((log, over) => {
      let count = 0
      const interval = setInterval(() => {
        log(`tick ${++count}`)
        setTimeout(() => {
          log(`started by tick ${count}`)
          if (count === 3) over()
        }, 20)
        if (count === 3) clearInterval(interval)
      }, 20)
    }))

  it('timers that are cleared, refreshed or identified by number', () =>
    expectAlike((log, over) => {
      clearTimeout(setTimeout(() => log('cleared'), 10))
      const late = setTimeout(() => log('refreshed'), 40)
      setTimeout(() => late.refresh(), 20)
      setTimeout(() => log('between'), 50)
      const numbered = Number(setTimeout(() => log('cleared by number'), 10))
      clearTimeout(numbered)
      clearTimeout(String(Number(setTimeout(() => log('cleared by text'), 10))))
      const cleared = setTimeout(() => log('refreshed after it was cleared'), 10)
      clearTimeout(cleared)
      cleared.refresh()
      clearTimeout(undefined)
      clearTimeout(null as never)
      setTimeout(over, 120)
    }))

  it('a timer that is refreshed by its own callback', () =>
    expectAlike((log, over) => {
      let fired = 0
      const again = setTimeout(() => {
        log(`again ${fired}`)
        if (++fired === 3) over()
        else again.refresh()
      }, 5)
    }))

  it('arguments, `this` and reference counts of timers', () =>
    expectAlike((log, over) => {
      const timeout = setTimeout(
        function (this: unknown, ...args: string[]) {
          log(`${args.join()} ${this === timeout}`)
        },
        5,
        'a',
        'b',
      )
      const plain = setTimeout(function (this: unknown) {
        log(`${this === plain}`)
      }, 10)
      log(`${plain.hasRef()} ${plain.unref().hasRef()} ${plain.ref().hasRef()}`)
      setImmediate((text: string) => log(text), 'immediate')
      const interval = setInterval(
        (text: string) => {
          log(text)
          interval.close()
        },
        10,
        'interval',
      )
      setTimeout(over, 40)
    }))

  it('timers/promises, promisified timers and signals', () =>
    expectAlike((log, over) => {
      const reported = (name: string, promise: Promise<unknown>) =>
        promise.then(
          (value) => log(`${name} ${value}`),
          (error) => log(`${name} ${error.name} ${error.code} ${error.message} / ${error.cause}`),
        )
      const controller = new AbortController()
      reported('sleep', timersPromises.setTimeout(30, 'slept'))
      reported('immediate', timersPromises.setImmediate('at once'))
      reported('wait', timersPromises.scheduler.wait(15))
      reported('yield', timersPromises.scheduler.yield() as Promise<unknown>)
      reported('promisified', promisify(setTimeout)(10, 'yes'))
      reported('promisified immediate', promisify(setImmediate)('soon'))
      reported('aborted', timersPromises.setTimeout(50, 'never', { signal: controller.signal }))
      reported('aborted before', timersPromises.setTimeout(1, 'never', { signal: AbortSignal.abort('early') }))
      setTimeout(() => controller.abort('enough'), 40)
      const timeout = AbortSignal.timeout(60)
      timeout.addEventListener('abort', () => log(`${timeout.reason.name} ${timeout.reason.message}`))
      setTimeout(over, 100)
    }))

  it('ticks of an interval whose consumer is late', () =>
    expectAlike((log, over) => {
      const consume = async () => {
        let count = 0
        for await (const value of timersPromises.setInterval(20, 'x')) {
          log(`${value} ${++count}`)
          if (count === 1) await timersPromises.setTimeout(70)
          if (count === 5) break
        }
        const controller = new AbortController()
        setTimeout(() => controller.abort(), 30)
        try {
          for await (const _ of timersPromises.setInterval(20, 'x', { signal: controller.signal })) log('before abort')
        } catch (error) {
          log(`${(error as Error).name}`)
        }
        over()
      }
      void consume()
    }))

  it('events of streams', () =>
    expectAlike((log, over) => {
      const through = new PassThrough()
      for (const event of ['pipe', 'finish', 'end', 'close', 'prefinish', 'drain', 'resume'])
        through.on(event, () => log(event))
      const play = async () => {
        const source = Readable.from(['a', 'b', 'c'])
        await Promise.all([pipeline(source, through), finished(through.on('data', (data) => log(`data ${data}`)))])
        log('piped')
        const emitter = new EventEmitter()
        setTimeout(() => emitter.emit('event', 1), 10)
        log(`once ${await once(emitter, 'event')}`)
        over()
      }
      void play()
    }))
})

describe('the comparison', () => {
  it('detects a different order', async () => {
    let rounds = 0
    const fickle: Program = (log, over) => {
      log(`round ${++rounds}`)
      over()
    }
    // If the machine delays the process, the program is repeated.
    await expect(expectAlike(fickle)).rejects.toThrow(/\[ 'round 1' \] to deeply equal \[ 'round \d+' \]/)
  })
})

describe('virtual timers', () => {
  it('take whole milliseconds, at least one and at most 2^31-1', async () => {
    const lines = await inVirtualNode((log, over) => {
      const start = performance.now()
      const note = (name: string) => () => log(`${name} after ${performance.now() - start}`)
      setTimeout(note('0'))
      setTimeout(note('1.9'), 1.9)
      setTimeout(note('2.9'), 2.9)
      setTimeout(note('-5'), -5)
      setTimeout(note('2^31'), 2 ** 31)
      setTimeout(note('NaN'), Number.NaN)
      setTimeout(note('"7"'), '7' as never)
      setTimeout(over, 10)
    })
    expect(lines).toEqual([
      '0 after 1',
      '1.9 after 1',
      '-5 after 1',
      '2^31 after 1',
      'NaN after 1',
      '2.9 after 2',
      '"7" after 7',
    ])
  })

  it('reject values that are not functions, as Node does', () =>
    expectAlike((log, over) => {
      for (const start of [setTimeout, setInterval, setImmediate, process.nextTick, queueMicrotask] as Function[])
        try {
          start('text')
        } catch (error) {
          log(`${(error as Error).name} ${(error as { code: string }).code}`)
        }
      over()
    }))
})
