/**
 * Compares the degraded simulated server with a real server in the same state, byte by byte.
 * LOADING is not compared, because a real server cannot be kept in this state.
 */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs } from '../../../test/needs/needs.ts'
import type { DegradedState } from '../src/degraded-state.ts'
import { tooManyClients } from '../src/degraded-state.ts'
import { encodeReply } from '../src/resp/encode.ts'
import { encodeCommand } from '../src/resp/encode-command.ts'
import { type RealClient, RealServer } from './real-server.ts'
import { encode, ServerByHand } from './server-by-hand.ts'

/** A command as words separated by blanks. A middle dot (`·`) stands for a blank within a word. */
type Step = string
const begins = 'the degraded state begins'

const readsThenWrites = "local·v=redis.call('GET','kept')·redis.call('SET','k','v')·return·v"
const writesTwice = "redis.call('DEL','kept')·redis.call('SET','k','v')·return·'done'"
const writesGuarded = "return·redis.pcall('SET','k','v').err"
const writes = "return·redis.call('SET','k','v')"
const reads = "return·redis.call('GET','kept')"

const memoryStories: Record<string, readonly Step[]> = {
  'a write': [begins, 'SET k v', 'INCR n', 'HSET h f v', 'EXISTS k'],
  'commands that need no memory': [begins, 'GET kept', 'DEL kept', 'PEXPIRE kept 100', 'PING', 'ECHO x'],
  'a read while queueing': [begins, 'MULTI', 'GET kept', 'EXEC'],
  'a write while queueing': [begins, 'MULTI', 'SET k v', 'DISCARD', 'EXISTS k'],
  'EXEC of an already queued write': ['MULTI', 'SET k v', 'GET kept', begins, 'EXEC', 'EXISTS k', 'EXEC'],
  'EXEC of already queued reads': ['MULTI', 'GET kept', begins, 'EXEC'],
  'EXEC of an already queued script': ['MULTI', `EVAL ${readsThenWrites} 0`, begins, 'EXEC', 'EXISTS k'],
  'EXEC of an empty transaction': ['MULTI', begins, 'EXEC'],
  'EXEC after a watched key has changed': ['WATCH kept', 'SET kept w', 'MULTI', 'SET k v', begins, 'EXEC'],
  'WATCH and UNWATCH around MULTI': [begins, 'WATCH kept', 'MULTI', 'WATCH kept', 'UNWATCH', 'EXEC'],
  'MULTI in MULTI': [begins, 'MULTI', 'MULTI', 'DISCARD'],
  'RESET in MULTI': [begins, 'MULTI', 'RESET', 'GET kept'],
  'a script before its first write': [begins, `EVAL ${readsThenWrites} 0`, 'EXISTS k'],
  'a script after its first write': [begins, `EVAL ${writesTwice} 0`, 'EXISTS k kept'],
  'a script that guards its write': [begins, `EVAL ${writesGuarded} 0`, 'EXISTS k'],
  'a script that only reads': [begins, `EVAL ${reads} 0`, `EVAL_RO ${reads} 0`],
  'a script without flags': [begins, 'EVAL #!lua\nreturn·1 0'],
  'a script with the flag no-writes': [begins, `EVAL #!lua·flags=no-writes\n${reads} 0`],
  'a script with the flag allow-oom': [begins, `EVAL #!lua·flags=allow-oom\n${writes} 0`, 'EXISTS k'],
  'a known script without flags': [`SCRIPT LOAD #!lua\n${reads}`, begins, `EVALSHA ${sha1(`#!lua\n${reads}`)} 0`],
  'a script with an unknown flag': [begins, 'EVAL #!lua·flags=all\nreturn·1 0'],
  'an unknown script': [begins, `EVALSHA ${sha1('nobody')} 0`],
  'an unknown command': [begins, 'NOPE', 'SET k', 'EXISTS k'],
}

const busyStories: Record<string, readonly Step[]> = {
  'reads and writes': [begins, 'SET k v', 'GET kept', 'PING', 'INFO server', 'EVAL return·1 0', 'ECHO x'],
  'a transaction': [begins, 'MULTI', 'GET kept', 'EXEC', 'DISCARD'],
  'EXEC of an already queued transaction': ['MULTI', 'SET k v', begins, 'EXEC', 'EXEC'],
  WATCH: [begins, 'WATCH kept', 'UNWATCH', 'NOPE', 'SET k'],
}

const words = (text: string) => text.split(' ').map((word) => word.replaceAll('·', ' '))

function sha1(text: string): string {
  return createHash('sha1').update(text.replaceAll('·', ' ')).digest('hex')
}

needs({ redis: '7.0' }).describe('the simulated server answers like a real redis-server', () => {
  let real: RealServer
  let control: RealClient
  beforeAll(async () => {
    real = await RealServer.start()
    control = await real.client()
  })
  afterAll(() => real?.stop())

  /**
   * Executes the commands on both servers. Returns the answers of each server, with the command
   * before each answer.
   */
  async function both(story: readonly Step[], what: keyof DegradedState, begin: () => Promise<void>) {
    await control.run(words('FLUSHALL'))
    await control.run(words('SET kept here'))
    const simulated = new ServerByHand()
    const simulatedClient = simulated.client()
    simulatedClient.run('SET kept here')
    const realClient = await real.client()
    const answers = { real: [] as string[], simulated: [] as string[] }
    for (const step of story) {
      if (step === begins) {
        await begin()
        Object.assign(simulated.server.degraded, { [what]: true })
        continue
      }
      answers.real.push(`${step}: ${await realClient.run(words(step))}`)
      answers.simulated.push(`${step}: ${simulatedClient.raw(encodeCommand(words(step)))}`)
    }
    realClient.socket.destroy()
    return answers
  }

  describe('when both are out of memory', () => {
    it.each(Object.entries(memoryStories))('to the commands: %s', async (_, story) => {
      const answers = await both(story, 'outOfMemory', async () => {
        expect(await control.run(words('CONFIG SET maxmemory 1'))).toBe('+OK\r\n')
      })
      await control.run(words('CONFIG SET maxmemory 0'))
      expect(answers.simulated).toEqual(answers.real)
    })
  })

  describe('while a script of another client runs', () => {
    it.each(Object.entries(busyStories))('to the commands: %s', async (_, story) => {
      const culprit = await real.client()
      const answers = await both(story, 'busy', async () => {
        await control.run(words('CONFIG SET busy-reply-threshold 10'))
        culprit.send(words('EVAL while·true·do·end 0'))
        while (!(await control.run(words('PING'))).startsWith('-BUSY'));
      })
      expect(await control.run(words('SCRIPT KILL'))).toBe('+OK\r\n')
      expect(await new Promise((resolve) => culprit.socket.once('data', resolve))).toContain('Script killed')
      culprit.socket.destroy()
      expect(answers.simulated).toEqual(answers.real)
    })
  })

  it('to a connection that exceeds the client limit', async () => {
    const before = await control.run(words('CONFIG GET maxclients'))
    await control.run(words('CONFIG SET maxclients 1'))
    const refused = await real.client()
    const [bytes] = await once(refused.socket, 'data')
    await once(refused.socket, 'close')
    await control.run(words('CONFIG SET maxclients 10000'))
    expect(encodeReply(tooManyClients, 2)).toBe(bytes)
    expect(before).toContain('10000')
  })
})

describe('a simulated server', () => {
  it('refuses no command if it is not degraded', () => {
    const { server } = new ServerByHand()
    expect(server.degraded.any).toBe(false)
    const client = new ServerByHand().client()
    expect(client.run('SET k v')).toBe('+OK\r\n')
    expect(client.raw(encode('MULTI') + encode('SET k w') + encode('EXEC'))).toBe('+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n')
  })

  it('refuses commands while it loads, except those that connect or inspect, and reports loading in INFO', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.run('MULTI')
    client.run('GET k')
    world.server.degraded.loading = true
    const loading = 'LOADING Redis is loading the dataset in memory\r\n'
    expect(client.run('EXEC')).toBe(`-EXECABORT Transaction discarded because of: ${loading}`)
    expect(client.run('GET k')).toBe(`-${loading}`)
    expect(client.run('PING')).toBe(`-${loading}`)
    expect(client.run('INFO persistence')).toContain('\r\nloading:1\r\n')
    expect(client.run('INFO persistence')).toContain('\r\nloading_eta_seconds:1\r\n')
    world.server.degraded.loading = false
    expect(client.run('INFO persistence')).toContain('\r\nloading:0\r\n')
    expect(client.run('INFO persistence')).not.toContain('loading_eta_seconds')
    expect(client.run('GET k')).toBe('$-1\r\n')
  })
})
