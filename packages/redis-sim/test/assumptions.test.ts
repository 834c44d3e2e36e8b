/**
 * Violates each assumption about the callers of the server. The assertion that checks it must fail,
 * and no script may catch its error.
 */

import { describe, expect, it } from 'vitest'
import type { RedisEnvironment } from '../src/environment.ts'
import { encodeCommand } from '../src/resp/encode-command.ts'
import { ClientByHand, encode, ServerByHand } from './server-by-hand.ts'

describe('a server throws an error', () => {
  it('when its clock shows fractions of a microsecond, or when a random number is out of range', () => {
    const world = new ServerByHand()
    world.nowUs += 0.5
    expect(() => world.client().run('PING')).toThrow('whole microseconds')
    expect(() => new ServerByHand({}, { random: (n) => n * 16 })).toThrow('in the requested range')
  })

  it('when a client sends characters that are not bytes', () => {
    expect(() => new ServerByHand().client().raw('\u0100')).toThrow('sends bytes')
  })

  it('when `unblocked` is called with a connection of another server', () => {
    const [one, other] = [new ServerByHand(), new ServerByHand()]
    expect(() => one.server.unblocked(other.client().connection)).toThrow('that it accepted')
  })
})

describe('a connection throws an error', () => {
  it('when it closes but is not in the list of connections of its server', () => {
    const { server } = new ServerByHand()
    const { connection } = new ClientByHand(server)
    server.connections.clear()
    expect(() => connection.close()).toThrow('one of its server')
  })

  it('when `resume` is called without a pause', () => {
    expect(() => new ServerByHand().client().connection.resume()).toThrow('only a postponed command')
  })

  it('when a blocked command is answered twice', () => {
    const timeouts: (() => void)[] = []
    const schedule: RedisEnvironment['schedule'] = (_delayUs, callback) => {
      timeouts.push(callback)
      return () => {}
    }
    const client = new ServerByHand({}, { schedule }).client()
    client.run('BLPOP list 1')
    const [timeout] = timeouts.splice(-1)
    timeout!()
    expect(() => timeout!()).toThrow('answered once')
  })

  it('when a command is answered after the connection was closed', () => {
    const { connection } = new ServerByHand().client()
    connection.feed(encode('PING'))
    // Closes the connection after the reply was computed and before it is used.
    Object.defineProperty(connection.session, 'replies', {
      get() {
        connection.close()
        return 'on'
      },
    })
    expect(() => connection.step()).toThrow('on a connection that is closed')
  })

  it('when a heartbeat blocks', () => {
    const { connection } = new ServerByHand().client()
    expect(() => connection.beat(['BLPOP', 'list', '1'])).toThrow('waits for nothing')
  })
})

describe('a script', () => {
  const evaluate = (text: string) => encodeCommand(['EVAL', text, '0'])

  it('does not catch the error of a violated assumption', () => {
    const world: ServerByHand = new ServerByHand({}, { ran: () => void (world.server.tracking.inScript = false) })
    const script = "redis.call('SET', 'a', '1') return pcall(redis.call, 'GET', 'a')"
    expect(() => world.client().raw(evaluate(script))).toThrow('only a script that runs calls commands')
  })

  it('does not run inside another script', () => {
    const world = new ServerByHand()
    world.server.tracking.inScript = true
    expect(() => world.client().raw(evaluate('return 1'))).toThrow('in no other script')
  })
})
