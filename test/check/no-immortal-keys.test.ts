import { describe, expect, test } from 'vitest'
import { noImmortalKeys } from '../../src/check/no-immortal-keys.ts'
import type { KeptStructure } from '../../src/contract/api/history.ts'
import { aRun } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: Parameters<typeof noImmortalKeys.judge>[0]) => kinds(noImmortalKeys.judge(history))

function counted(keys: number, withoutExpiry: number, namesWithoutExpiry?: readonly string[]) {
  const history = aRun()
  for (let n = 1; n <= keys; n++) history.publish(`m${n}`, { key: `k${n}` })
  const names = namesWithoutExpiry === undefined ? {} : { namesWithoutExpiry }
  return history.add({ type: 'keys-counted', keys: 10, withoutExpiry, ...names })
}

const hashes = (count: number) =>
  Array.from({ length: count }, (_, at) => `${at}f86d081884c7d659a2feaa0c55ad015a3bf4f1b`)

describe('no-immortal-keys', () => {
  test('no key or a constant one is valid', () => {
    expect(kindsOf(counted(4, 0).rest())).toBe('valid')
    expect(kindsOf(counted(4, 1, ['statistics']).rest())).toBe('valid')
  })

  test('named-after-a-message: a single key suffices, by key or by id', () => {
    expect(kindsOf(counted(4, 1, ['lock:k3']).rest())).toEqual(['named-after-a-message'])
    expect(kindsOf(counted(4, 1, ['seen:m3']).rest())).toEqual(['named-after-a-message'])
  })

  test('as-many-as-keys: meaningless names whose number equals that of the keys', () => {
    expect(kindsOf(counted(4, 4, hashes(4)).rest())).toEqual(['as-many-as-keys'])
    const checksums = ['seen:190896', 'seen:2490896441', 'seen:731902', 'seen:55102931']
    expect(kindsOf(counted(4, 4, checksums).rest())).toEqual(['as-many-as-keys'])
    expect(kindsOf(counted(4, 6, hashes(3)).rest())).toEqual(['as-many-as-keys'])
  })

  test('constant keys are valid, however many', () => {
    const constant = ['workers', 'audit', 'stats:handled', 'stats:last', 'shop:v-next:settings']
    expect(kindsOf(counted(4, 5, constant).rest())).toBe('valid')
    expect(kindsOf(counted(4, 6, [...constant, 'shop:v2:settings']).rest())).toBe('valid')
    expect(kindsOf(counted(4, 7, [...constant, ...hashes(2)]).rest())).toBe('unknown')
  })

  test('keys may be named after processes if there are at most as many', () => {
    const hosts = ['host:10.0.1.1', 'host:10.0.1.2', 'worker:consumer-1.2', `worker:${hashes(1)[0]!}`]
    const started = (processes: number) => {
      const history = counted(4, 4, hosts)
      for (let n = 1; n <= processes; n++) history.add({ type: 'process-started', process: `consumer-1.${n}` })
      return kindsOf(history.rest())
    }
    expect(started(4)).toBe('valid')
    expect(started(3)).toBe('unknown')
  })

  test('meaningless names never count as names of processes', () => {
    const left = (names: readonly string[], processes: number) => {
      const history = counted(4, names.length, names)
      for (let n = 1; n <= processes; n++) history.add({ type: 'process-started', process: `consumer-1.${n}` })
      return kindsOf(history.rest())
    }
    expect(left(hashes(4), 4)).toBe('unknown')
    expect(left(hashes(2), 4)).toBe('unknown')
    expect(left(hashes(4), 3)).toEqual(['as-many-as-keys'])
    const base64 = hashes(4).map((hash) => `idem:${Buffer.from(`${hash}Zz`).toString('base64')}`)
    expect(left(base64, 3)).toEqual(['as-many-as-keys'])
    expect(left(['idem:caf\u00e9', 'idem:\u03a9'], 1)).toBe('unknown')
  })

  test.each(['timer-waits', 'keys-listed', 'live'])(
    'keys that may be deleted later (%s) are unknown, whatever their names',
    (maySweep) => {
      const swept = (names: readonly string[], structures: readonly KeptStructure[] = []) => {
        const history = counted(4, names.length, names)
        Object.assign(history.events.at(-1)!, { maySweep, structures })
        return noImmortalKeys.judge(history.rest())
      }
      const shorter = { verdict: 'unknown', reason: expect.stringContaining('the layer may delete old keys later') }
      expect(swept(['lock:k3'])).toMatchObject(shorter)
      expect(swept(hashes(4))).toMatchObject(shorter)
      expect(swept(['statistics'])).toEqual({ verdict: 'valid' })
      const grown = { key: 'seen', type: 'set', size: 2, entries: ['k1', 'k4'], kept: 'never' } as const
      expect(swept(['lock:k3'], [grown])).toMatchObject({
        verdict: 'violated',
        violations: [{ kind: 'grows-with-messages' }],
      })
    },
  )

  test('keys in an index that the layer scanned are unknown, unless one is not in it', () => {
    const indexed = (names: readonly string[], entries: readonly string[], isLooked = true) => {
      const history = counted(4, names.length, names)
      const index = { key: 'index', type: 'zset', size: entries.length, entries, kept: 'measured' } as const
      const structures = [isLooked ? { ...index, lookedThrough: true } : index]
      Object.assign(history.events.at(-1)!, { structures })
      return noImmortalKeys.judge(history.rest())
    }
    const looked = { verdict: 'unknown', reason: expect.stringContaining('since it scanned a list of them') }
    const left = (key: string) => ({ verdict: 'violated', violations: [{ kind: 'named-after-a-message', key }] })
    expect(indexed(['seen:k2', 'seen:k3'], ['seen:k2', 'k3'])).toMatchObject(looked)
    expect(indexed(['seen:k2', 'seen:k3'], ['seen:k2', 'k3'], false)).toMatchObject(left('k2'))
    expect(indexed(['seen:k2', 'lock:k3'], ['k2'])).toMatchObject(left('k3'))
    // A field that does not name a message.
    expect(indexed(['lock:k3'], ['lock', 'id', '3'])).toMatchObject(left('k3'))
    expect(indexed(hashes(4), hashes(4))).toMatchObject(looked)
    expect(indexed(hashes(8), hashes(8).slice(4))).toMatchObject({ violations: [{ kind: 'as-many-as-keys' }] })
  })

  test('an unknown verdict explains what would decide it', () => {
    const verdict = noImmortalKeys.judge(counted(4, 2, ['slot:1', 'slot:2']).rest())
    expect(verdict).toMatchObject({ verdict: 'unknown', reason: expect.stringContaining('in `deploy`') })
  })

  test('named-after-a-message shows the message with the longest name', () => {
    const left = (name: string) => {
      const history = aRun().publish('m1', { key: 'order:1' }).publish('m2', { key: 'order:1:lock' })
      history.add({ type: 'keys-counted', keys: 1, withoutExpiry: 1, namesWithoutExpiry: [name] }).rest()
      const verdict = noImmortalKeys.judge(history)
      return verdict.verdict === 'violated' ? verdict.violations[0]!.key : null
    }
    expect(left('seen:order:1:lock')).toBe('order:1:lock')
    expect(left('seen:order:1:state')).toBe('order:1')
  })

  test('a number that may be a coincidence is unknown', () => {
    expect(kindsOf(counted(3, 3).rest())).toBe('unknown')
    expect(kindsOf(counted(4, 3).rest())).toBe('unknown')
  })

  test('a run without a count, or without its end, is unknown', () => {
    expect(kindsOf(aRun().publish('m1').rest())).toBe('unknown')
    expect(kindsOf(counted(4, 4).breakOff())).toBe('unknown')
  })
})

describe('one growing key', () => {
  const holding = (keys: number, structure: Partial<KeptStructure>, processes = 0) => {
    const history = aRun()
    for (let n = 1; n <= processes; n++) history.add({ type: 'process-started', process: `consumer-1.${n}` })
    for (let n = 1; n <= keys; n++) history.publish(`m${n}`, { key: `k${n}` })
    const { entries = [] } = structure
    const structures = [
      { key: 'seen', type: 'set' as const, size: entries.length, entries, kept: 'never' as const, ...structure },
    ]
    return history.add({ type: 'keys-counted', keys: 1, withoutExpiry: 1, namesWithoutExpiry: ['seen'], structures })
  }
  test.each(['set', 'hash'] as const)(
    'grows-with-messages: a %s with entries for two messages, by key or by id',
    (type) => {
      expect(kindsOf(holding(5, { type, entries: ['k1', 'k4'] }).rest())).toEqual(['grows-with-messages'])
      expect(kindsOf(holding(5, { type, entries: ['done:m2', 'm5'] }).rest())).toEqual(['grows-with-messages'])
    },
  )

  test('a structure with an order is unknown because it may be trimmed later, unless it has only one message', () => {
    const inStream = ['["key","k1"]', '["key","k2"]']
    expect(kindsOf(holding(2, { type: 'stream', entries: inStream }).rest())).toBe('unknown')
    expect(kindsOf(holding(2, { type: 'stream', entries: inStream.slice(1) }).rest())).toBe('valid')
    for (const type of ['list', 'zset'] as const) {
      expect(kindsOf(holding(5, { type, entries: ['k1', 'k4'] }).rest())).toBe('unknown')
      expect(kindsOf(holding(5, { type, entries: ['k4'] }).rest())).toBe('valid')
    }
  })

  test('a trimmed structure is bounded, whatever its content', () => {
    expect(kindsOf(holding(5, { type: 'list', entries: ['k1', 'k2', 'k3'], kept: 'trimmed' }).rest())).toBe('valid')
  })

  test('a structure whose size was read is unknown, with what would decide it', () => {
    const verdict = noImmortalKeys.judge(holding(5, { type: 'list', entries: ['k1', 'k2'], kept: 'measured' }).rest())
    expect(verdict).toMatchObject({ verdict: 'unknown', reason: expect.stringContaining('a lower limit') })
    expect(kindsOf(holding(5, { type: 'hash', entries: ['k1', 'k2'], kept: 'measured' }).rest())).toBe('unknown')
    expect(kindsOf(holding(5, { type: 'list', entries: ['a'], kept: 'measured' }).rest())).toBe('valid')
  })

  test('one entry of a message, or entries of other things, are not growth', () => {
    expect(kindsOf(holding(5, { entries: ['k1'] }).rest())).toBe('valid')
    expect(kindsOf(holding(5, { entries: ['k1:state', 'k1:result'] }).rest())).toBe('valid')
    const statistics = ['done', 'parked', 'retried', 'refused', 'repeated', 'consumer-1.2-retries']
    expect(kindsOf(holding(5, { type: 'hash', entries: statistics }).rest())).toBe('valid')
  })

  test('two entries of one message do not count for another message whose key is contained in the first', () => {
    const entriesOf = (entries: readonly string[]) => {
      const history = aRun().publish('m1', { key: 'order:1' }).publish('m2', { key: 'order:1:lock' })
      const structures = [{ key: 'seen', type: 'set' as const, size: 2, entries, kept: 'never' as const }]
      history.add({ type: 'keys-counted', keys: 1, withoutExpiry: 1, namesWithoutExpiry: ['seen'], structures })
      return kindsOf(history.rest())
    }
    expect(entriesOf(['order:1:lock', 'order:1:lock:result'])).toBe('valid')
    expect(entriesOf(['order:1:lock', 'order:1'])).toEqual(['grows-with-messages'])
  })

  test('grows-with-messages: meaningless names, as many as keys and more than processes', () => {
    expect(kindsOf(holding(4, { entries: hashes(4) }, 3).rest())).toEqual(['grows-with-messages'])
    expect(kindsOf(holding(4, { entries: hashes(3) }, 1).rest())).toBe('valid')
    expect(kindsOf(holding(4, { entries: hashes(4) }, 4).rest())).toBe('valid')
    expect(kindsOf(holding(3, { entries: hashes(3) }).rest())).toBe('valid')
  })

  test('a broken-off run shows no growth', () => {
    expect(kindsOf(holding(5, { entries: ['k1', 'k2'] }).breakOff())).toBe('unknown')
  })
})
