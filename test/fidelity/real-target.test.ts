import { expect, it } from 'vitest'
import { RealTarget, ServerGone } from '../../fidelity/real-target.ts'
import { findProgram, startRedis } from '../../src/fidelity/redis-process.ts'

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
