import { createServer, type Socket } from 'node:net'
import { type RedisProcess, ServerGone, startRedis } from 'test-servers'
import { expect, it } from 'vitest'
import { needs, pathOf } from '../../../../test/needs/needs.ts'
import { RealTarget } from '../../fidelity/real-target.ts'

const onServer = needs({ redis: '7.0' }).it

async function withTarget(work: (target: RealTarget, server: RedisProcess) => Promise<void>): Promise<void> {
  const server = await startRedis(pathOf('redis'))
  const target = new RealTarget('127.0.0.1', server.port)
  try {
    await work(target, server)
  } finally {
    target.close()
    await server.stop()
  }
}

onServer('a server that dies ends the comparison, with its name', () =>
  withTarget(async (target, server) => {
    expect(await target.begin(2)).toBeGreaterThan(0)
    expect(await target.perform({ kind: 'command', on: 1, args: ['PING'] })).toBe('+PONG\r\n')
    await server.stop()
    const gone = target.begin(2)
    await expect(gone).rejects.toThrow(ServerGone)
    await expect(gone).rejects.toThrow(`the Redis at 127.0.0.1:${server.port} has closed the connection`)
  }),
)

onServer('a paused server ends the comparison, and is still stopped', () =>
  withTarget(async (target) => {
    await target.begin(1)
    const [, pid] = /process_id:(\d+)/.exec(await target.ask(['INFO', 'server']))!
    process.kill(Number(pid), 'SIGSTOP')
    await expect(target.begin(1)).rejects.toThrow('answers no more')
  }),
)

onServer(
  'an endless function is killed before the next sequence, but an endless script that has written ends the comparison',
  () =>
    withTarget(async (target) => {
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
      const writing = "redis.call('SET', 'k', 'v') while true do end"
      void target.perform({ kind: 'command', on: 0, args: ['EVAL', writing, '0'] })
      await isBusy()
      await expect(target.begin(1)).rejects.toThrow('busy with a script that cannot be ended')
    }),
)

onServer('a missing server is reported', () =>
  withTarget(async (target, server) => {
    await server.stop()
    const gone = target.begin(1)
    await expect(gone).rejects.toThrow(ServerGone)
    await expect(gone).rejects.toThrow(`the Redis at 127.0.0.1:${server.port} takes no connection`)
  }),
)

onServer('a reply is awaited while the server reports a running script, and no longer', () =>
  withTarget(async (target) => {
    await target.begin(2)
    await target.ask(['CONFIG', 'SET', 'busy-reply-threshold', '10'])
    const long = 'for i = 1, 800000000 do end return 7'
    expect(await target.perform({ kind: 'command', on: 1, args: ['EVAL', long, '0'] })).toBe(':7\r\n')
    expect(await target.perform({ kind: 'raw', on: 1, bytes: '', replies: 1 })).toBe('')
  }),
)

it('a reply that is sent just before a script ends is received in the step that it answers', async () => {
  let asker: Socket | undefined
  const server = createServer((socket) =>
    socket
      .on('data', (bytes) => {
        const text = bytes.toString('latin1')
        if (text.includes('EVAL')) asker = socket
        else if (text.includes('PING')) asker!.write(':7\r\n', () => socket.write('+PONG\r\n'))
        else socket.write(text.includes('KILL') ? '-NOTBUSY none\r\n' : text.includes('CLIENT') ? ':1\r\n' : '+OK\r\n')
      })
      .on('error', () => {}),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const target = new RealTarget('127.0.0.1', (server.address() as { port: number }).port)
  try {
    await target.begin(1)
    expect(await target.perform({ kind: 'command', on: 0, args: ['EVAL', 'return 7', '0'] })).toBe(':7\r\n')
  } finally {
    target.close()
    server.close()
  }
})
