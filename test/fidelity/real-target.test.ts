import { expect, it } from 'vitest'
import { RealTarget } from '../../fidelity/real-target.ts'
import { findProgram, startRedis } from '../../src/fidelity/redis-process.ts'
import { ServerGone } from '../../src/fidelity/server-gone.ts'

const program = findProgram('redis-server')

it.skipIf(program === undefined)('a server that dies ends the comparison, and is named', async () => {
  const server = await startRedis(program!)
  const target = new RealTarget('127.0.0.1', server.port)
  try {
    expect(await target.begin(2)).toBeGreaterThan(0)
    expect(await target.perform({ kind: 'command', on: 1, args: ['PING'] })).toBe('+PONG\r\n')
    await server.stop()
    const gone = target.begin(2)
    await expect(gone).rejects.toThrow(ServerGone)
    await expect(gone).rejects.toThrow(`the Redis at 127.0.0.1:${server.port} has hung up`)
  } finally {
    target.close()
    await server.stop()
  }
})

it.skipIf(program === undefined)(
  'a server that stands still ends the comparison, and is stopped all the same',
  async () => {
    const server = await startRedis(program!)
    const target = new RealTarget('127.0.0.1', server.port)
    try {
      await target.begin(1)
      const [, pid] = /process_id:(\d+)/.exec(await target.ask(['INFO', 'server']))!
      process.kill(Number(pid), 'SIGSTOP')
      await expect(target.begin(1)).rejects.toThrow('answers no more')
    } finally {
      target.close()
      await server.stop()
    }
  },
)

it.skipIf(program === undefined)(
  'a function that does not end is ended before the next sequence; a script that has written ends the comparison',
  async () => {
    const server = await startRedis(program!)
    const target = new RealTarget('127.0.0.1', server.port)
    try {
      const isBusy = async () => {
        while (!(await target.ask(['PING'])).startsWith('-BUSY'));
      }
      await target.begin(1)
      await target.ask(['CONFIG', 'SET', 'busy-reply-threshold', '10'])
      const code = "#!lua name=l\nredis.register_function('f', function() while true do end end)"
      await target.ask(['FUNCTION', 'LOAD', code])
      void target.perform({ kind: 'command', on: 0, args: ['FCALL', 'f', '0'] })
      await isBusy()
      expect(await target.begin(1)).toBeGreaterThan(0)
      await target.ask(['CONFIG', 'SET', 'busy-reply-threshold', '10'])
      void target.perform({
        kind: 'command',
        on: 0,
        args: ['EVAL', "redis.call('SET', 'k', 'v') while true do end", '0'],
      })
      await isBusy()
      await expect(target.begin(1)).rejects.toThrow('busy with a script that cannot be ended')
    } finally {
      target.close()
      await server.stop()
    }
  },
)

it('a server that is not there is named', async () => {
  const server = program === undefined ? null : await startRedis(program)
  await server?.stop()
  const target = new RealTarget('127.0.0.1', server?.port ?? 1)
  await expect(target.begin(1)).rejects.toThrow(ServerGone)
})
