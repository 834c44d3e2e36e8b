import { describe, expect, it } from 'vitest'
import { needs, pathOf } from '../../../../test/needs/needs.ts'
import { compareStories } from '../../fidelity/replication/compare-stories.ts'
import { waiting } from '../../fidelity/replication/stories/waiting.ts'
import { compareStreams } from '../../fidelity/replication/stream/compare-streams.ts'
import { effectsIn, sameEffect } from '../../fidelity/replication/stream/effects.ts'
import type { Play } from '../../fidelity/replication/test-bed.ts'
import type { Command } from '../../src/command.ts'
import { findCommand } from '../../src/command-table.ts'

describe('effects in a replication stream', () => {
  it('are equal only if they are identical except for clock values and random ids of servers', () => {
    const id = ['a'.repeat(40), 'b'.repeat(40)] as const
    expect(sameEffect(['PEXPIREAT', 'k', '1700000000000'], ['PEXPIREAT', 'k', '1700000000123'])).toBe(true)
    expect(sameEffect(['PEXPIREAT', 'k', '1700000000000'], ['PEXPIREAT', 'k', '1700000009000'])).toBe(false)
    expect(sameEffect(['XADD', 's', '1700000000000-0', 'f', 'v'], ['XADD', 's', '1700000000001-0', 'f', 'v'])).toBe(
      true,
    )
    expect(sameEffect(['XADD', 's', '1700000000000-0', 'f', 'v'], ['XADD', 's', '1700000000000-1', 'f', 'v'])).toBe(
      false,
    )
    expect(sameEffect(['SET', 'k', id[0]], ['SET', 'k', id[1]])).toBe(true)
    expect(sameEffect(['SET', 'k', 'v'], ['set', 'k', 'v'])).toBe(false)
    expect(sameEffect(['DEL', 'k'], undefined)).toBe(false)
  })

  it('exclude heartbeats', () => {
    const stream =
      '*1\r\n$4\r\nPING\r\n*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n*3\r\n$8\r\nREPLCONF\r\n$6\r\nGETACK\r\n$1\r\n*\r\n'
    expect(effectsIn(stream)).toEqual([['DEL', 'k']])
  })
})

needs({ redis: '7.0' }).describe('replication against real redis-servers', () => {
  it('finds no difference in an unchanged server', async () => {
    expect((await compareStreams(pathOf('redis'), 7, 300)).differences).toEqual([])
    const story = waiting.filter(({ name }) => name === 'WAIT on a fresh connection')
    expect(await compareStories(pathOf('redis'), story)).toMatchObject({ stories: 1, differences: [], unsupported: [] })
  }, 120_000)

  it('finds a command whose effect was changed', async () => {
    const get = findCommand('get') as { -readonly [K in keyof Command]: Command[K] }
    const original = get.execute!
    get.execute = (session, args) => {
      session.server.keyspace.state.changes++
      return original(session, args)
    }
    try {
      const { differences } = await compareStreams(pathOf('redis'), 7, 300)
      expect(differences[0]!.simulated![0]!.toLowerCase()).toBe('get')
    } finally {
      get.execute = original
    }
  }, 120_000)

  it('finds a story whose notes differ between real and simulated servers', async () => {
    const report = async (play: Play) => {
      await play.testBed.start('a')
      play.note('where', play.testBed.kind)
    }
    const { differences } = await compareStories(pathOf('redis'), [{ name: 'differs', report }])
    expect(differences).toEqual([{ story: 'differs', real: ['where', 'real'], simulated: ['where', 'simulated'] }])
  }, 60_000)
})
