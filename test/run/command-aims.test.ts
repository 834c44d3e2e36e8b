import { describe, expect, it } from 'vitest'
import { type CommandAim, picks } from '../../src/contract/api/plan.ts'
import { CommandKinds, countedBy } from '../../src/run/command-aims.ts'
import { keyOfBytes, keyOfCommand } from '../../src/run/command-key.ts'
import { done, layer, play } from '../sim/world-lab.ts'

const lostReplyTo = (of: CommandAim, nth = 1) => ({
  kind: 'lost-reply',
  when: { at: 'command-executed' as const, consumer: 0, nth, of },
})
const messages = ['order-1', 'order-2'].map((key, at) => ({ key, payload: 1, publishAtMs: at * 100 }))

/** `extra`: a version that sends one more command. */
const version = (extra: boolean) =>
  layer(async ({ key }, redis) => {
    if (extra) await redis.exists(`lock:${key}`)
    await redis.get(`record:${key}`)
    await redis.set(`record:${key}`, 1, 'PX', 1000)
    await redis.set(`record:${key}`, 2, 'PX', 1000)
    return done
  })

async function lostOf(extra: boolean, of: CommandAim, nth?: number) {
  const played = await play(version(extra), { messages, faults: [lostReplyTo(of, nth)] })
  return played.of('reply-lost').map(({ command, atUs }) => `${command} ${atUs > 90_000 ? 'order-2' : 'order-1'}`)
}

describe('a fault aimed at a kind of command', () => {
  it('strikes the nth command with that label and key, in either version of a layer', async () => {
    for (const extra of [false, true]) {
      expect(await lostOf(extra, { label: 'SET', key: 'order-2' }, 2)).toEqual(['SET order-2'])
      expect(await lostOf(extra, { label: 'GET' }, 2)).toEqual(['GET order-2'])
      expect(await lostOf(extra, { label: 'DEL' })).toEqual([])
    }
  })

  it('is drawn by a number that selects the same commands in both versions, except the additional one', async () => {
    const struck: string[][][] = []
    for (let pick = 0; pick < picks; pick++) struck.push([await lostOf(false, { pick }), await lostOf(true, { pick })])
    const differ = struck.filter(([without, withIt]) => without![0] !== withIt![0])
    expect(differ.every(([, withIt]) => withIt![0]!.startsWith('EXISTS'))).toBe(true)
    expect(struck.flat(2).length).toBeGreaterThan(picks)
  })

  it('selects the message whose key or id is a separate part of the Redis key, and the longest of nested ones', () => {
    const named = ['a', 'a:lock', 'order-1', 'order-10'].map((key, at) => ({ key, messageId: `m${at}` }))
    const kinds = new CommandKinds(named)
    const keyOf = (redisKey: string) => kinds.of({ label: 'SET', redisKey }).key
    expect(keyOf('x:a:lock')).toBe('a:lock')
    expect(keyOf('seen:m2')).toBe('order-1')
    expect(keyOf('record:order-10')).toBe('order-10')
    // A part of a word is not a name: `a` is not in `stats`, `order-1` not in `order-12`, `m1` not
    // in `m12`.
    expect(['stats', 'record:order-12', 'seen:m12'].map(keyOf)).toEqual([null, null, null])
    // Cached answers are the same.
    expect([keyOf('x:a:lock'), keyOf('stats')]).toEqual(['a:lock', null])
  })

  it('does not strike a command whose Redis key contains the key only inside a word', async () => {
    const only = (key: string) => ({
      messages: [{ key, payload: 1, publishAtMs: 0 }],
      faults: [lostReplyTo({ label: 'GET', key })],
    })
    const impl = layer(async (_, redis) => {
      await redis.get('stats:order-1')
      return done
    })
    expect((await play(impl, only('order-1'))).of('reply-lost')).toHaveLength(1)
    expect((await play(impl, only('stat'))).of('reply-lost')).toHaveLength(0)
  })

  it('labels a script by its hash until its body is known', () => {
    const kinds = new CommandKinds([])
    expect(kinds.of({ label: 'EVALSHA 0a1b2c3d', redisKey: 'x' })).toEqual({ label: 'EVALSHA', key: null })
    expect(countedBy({ label: 'SET', key: 'a' }, { label: 'SET', key: 'b' })).toBeNull()
  })

  it('uses the first key of commands and scripts, as text', () => {
    expect(keyOfCommand(['GET', 'k'])).toBe('k')
    expect(keyOfCommand(['evalsha', 'sha', '1', 'caf\u00c3\u00a9'])).toBe('caf\u00e9')
    expect(keyOfCommand(['EVAL', 'return 1', '0', 'x'])).toBeUndefined()
    expect(keyOfBytes('*3\r\n$3\r\nSET\r\n$2\r\nk1\r\n$1\r\nv\r\n')).toBe('k1')
  })
})
