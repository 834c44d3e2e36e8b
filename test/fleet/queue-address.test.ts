import { describe, expect, it } from 'vitest'
import { difference } from '../../src/fleet/identity.ts'
import { readQueueAddress } from '../../src/fleet/queue-address.ts'
import { fakeIdentity } from './fake-identity.ts'

describe('the address of a queue', () => {
  it.each([
    ['redis://queue', { host: 'queue', port: 6379, db: 0 }],
    ['redis://queue:7000/2', { host: 'queue', port: 7000, db: 2 }],
    ['redis://:p%40ss@[::1]:7000', { host: '::1', port: 7000, db: 0, password: 'p@ss' }],
    ['rediss://me:secret@queue', { host: 'queue', port: 6379, db: 0, username: 'me', password: 'secret', tls: {} }],
  ])('is read from %s', (text, options) => expect(readQueueAddress(text).options).toEqual(options))

  it.each(['queue:6379', 'http://queue', 'redis://', 'redis://queue/x', ''])('cannot be %s', (text) =>
    expect(() => readQueueAddress(text)).toThrow(/^--fleet .*: give redis:\/\/host:port/),
  )

  it('is shown without its password', () => {
    expect(readQueueAddress('redis://me:secret@queue').shown).toBe('redis://queue')
    expect(() => readQueueAddress('http://me:secret@queue')).toThrow(/^--fleet http:\/\/queue: /)
  })
})

describe('two machines', () => {
  it.each([
    ['version', { version: '9.9.9' }, 'it has onceproof 9.9.9 instead of 0.0.0; install that'],
    ['Node', { nodeMajor: 22 }, 'it has Node 22 instead of 20; run it with that'],
    ['sources', { sources: 'def' }, 'its onceproof has sources def instead of abc; install the same on both'],
  ])('do not work together if they differ in %s', (_, own, why) =>
    expect(difference({ ...fakeIdentity, ...own }, fakeIdentity)).toBe(why),
  )

  it('work together if they are alike', () => expect(difference({ ...fakeIdentity }, fakeIdentity)).toBeNull())
})
