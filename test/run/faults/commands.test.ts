import { describe, expect, it } from 'vitest'
import { done, errorOf, gaveUp, layer, nowMs, withAndWithout } from '../../sim/world-lab.ts'

/** Sets a key, records the result, and reads the key. */
function settingLayer() {
  const seen: (string | null)[] = []
  const errors: string[] = []
  const adapter = () =>
    layer(async (_, redis) => {
      seen.push(await errorOf(redis.set('k', 'v')))
      seen.push(await redis.get('k'))
      return done
    }, errors)
  return { adapter, seen, errors }
}

const sets = (events: { command: string; reply: string }[]) => events.filter(({ command }) => command.startsWith('set'))

describe('lost-reply', () => {
  it('executes the command, and resets the connection of the client', async () => {
    const { adapter, seen, errors } = settingLayer()
    const fault = { kind: 'lost-reply', when: { at: 'command-executed', consumer: 0, nth: 1 } } as const
    const { struck, spared } = await withAndWithout(adapter, fault)
    expect([seen, errors]).toEqual([[gaveUp, 'v', null, 'v'], ['read ECONNRESET']])
    expect(sets(struck.of('command'))).toMatchObject([{ command: 'set k v', reply: 'OK' }])
    expect(struck.of('reply-lost')).toMatchObject([{ process: 'consumer-1', command: 'SET' }])
    expect(struck.of('fault-struck')).toMatchObject([
      {
        sentence: 'the reply to SET of consumer-1 is lost: it was executed, and the connection breaks',
        boundary: 'command-executed',
        process: 'consumer-1',
      },
    ])
    expect([spared.of('reply-lost'), spared.of('fault-struck')]).toEqual([[], []])
  })
})

describe('lost-request', () => {
  it('does not execute the command, and resets the connection of the client', async () => {
    const { adapter, seen, errors } = settingLayer()
    const fault = { kind: 'lost-request', when: { at: 'command-unexecuted', consumer: 0, nth: 1 } } as const
    const { struck, spared } = await withAndWithout(adapter, fault)
    expect([seen, errors]).toEqual([[gaveUp, null, null, 'v'], ['read ECONNRESET']])
    expect(sets(struck.of('command'))).toEqual([])
    expect(struck.of('request-lost')).toMatchObject([{ process: 'consumer-1', command: 'SET' }])
    expect(struck.of('fault-struck')).toMatchObject([{ process: 'consumer-1' }])
    expect(struck.of('reply-lost')).toEqual([])
    expect(spared.of('request-lost')).toEqual([])
  })
})

describe('error-reply', () => {
  const error = 'LOADING Redis is loading the dataset in memory'
  const fault = { kind: 'error-reply', when: { at: 'command-unexecuted', consumer: 0, nth: 1 }, error } as const

  it('answers instead of executing', async () => {
    const { adapter, seen } = settingLayer()
    const { struck } = await withAndWithout(adapter, fault)
    expect(seen).toEqual([error, null, null, 'v'])
    expect(struck.of('fault-struck')).toMatchObject([
      { process: 'consumer-1', sentence: 'redis answers SET of consumer-1 with LOADING and does not execute it' },
    ])
  })

  it('aborts its transaction', async () => {
    const seen: (string | null)[] = []
    const adapter = () =>
      layer(async (_, redis) => {
        seen.push(await errorOf(redis.multi().set('k', 'v').incr('n').exec()), await redis.get('n'))
        return done
      })
    await withAndWithout(adapter, { ...fault, when: { ...fault.when, nth: 2 } })
    expect(seen).toEqual(['EXECABORT Transaction discarded because of previous errors.', null, null, '1'])
  })

  it('does not pass boundaries of an executed command', async () => {
    const { adapter } = settingLayer()
    const lost = { kind: 'lost-reply', when: { at: 'command-executed', consumer: 0, nth: 1 } } as const
    const { struck } = await withAndWithout(adapter, fault, {})
    expect(struck.cellsSeen.some((cell) => cell.includes('command-executed SET'))).toBe(false)
    const both = await withAndWithout(adapter, lost)
    expect(both.struck.cellsSeen.some((cell) => cell.includes('command-executed SET'))).toBe(true)
  })
})

describe('connection-reset', () => {
  it('breaks commands in flight, and the client reconnects', async () => {
    const seen: (string | number | null)[] = []
    const adapter = () =>
      layer(async (_, redis) => {
        seen.push(await errorOf(redis.blpop('never', 1)), Math.round(nowMs() / 100))
        seen.push(await redis.ping())
        return done
      })
    const { struck, spared } = await withAndWithout(adapter, {
      kind: 'connection-reset',
      when: { at: 'time', ms: 500 },
      consumer: 0,
    })
    expect(seen).toEqual([gaveUp, 5, 'PONG', null, 10, 'PONG'])
    expect(struck.of('fault-struck')).toMatchObject([
      { process: 'consumer-1', sentence: 'the connections of consumer-1 to Redis are reset' },
    ])
    expect(spared.of('fault-struck')).toEqual([])
  })

  it('has no effect without a connection', async () => {
    const { adapter } = settingLayer()
    const { struck } = await withAndWithout(adapter, {
      kind: 'connection-reset',
      when: { at: 'time', ms: 0 },
      consumer: 0,
    })
    expect(struck.of('fault-struck')).toEqual([])
  })
})
