import { readReply } from 'test-servers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needs } from '../../../test/needs/needs.ts'
import { encodeCommand } from '../src/resp/encode-command.ts'
import { values, words } from './dump-values.ts'
import { RealServer } from './real-server.ts'
import { ServerByHand } from './server-by-hand.ts'

needs({ redis: '7.0' }).describe('a simulated and a real server', () => {
  let real: RealServer
  beforeAll(async () => {
    real = await RealServer.start()
  })
  afterAll(() => real.stop())

  it.each(values)('RESTORE each other’s dumps: %s', async (_what, commands, read) => {
    const simulated = new ServerByHand().client()
    const client = await real.client()
    const run = async (args: readonly string[]) => {
      client.send(args)
      let bytes = ''
      while (readReply(bytes, 0) === undefined)
        bytes += await new Promise<string>((got) => client.socket.once('data', got))
      return bytes
    }
    await run(['FLUSHALL'])
    for (const args of commands) {
      await run(args)
      simulated.raw(encodeCommand(args))
    }
    const fromReal = readReply(await run(['DUMP', 'k']), 0)!.text!
    const fromSimulated = readReply(simulated.run('DUMP k'), 0)!.text!
    expect(await run(['RESTORE', 'k', '0', fromSimulated, 'REPLACE'])).toBe('+OK\r\n')
    expect(simulated.raw(encodeCommand(['RESTORE', 'k', '0', fromReal, 'REPLACE']))).toBe('+OK\r\n')
    expect(simulated.run(read)).toBe(await run(words(read)))
    for (const more of ['OBJECT ENCODING k', 'TYPE k', 'XINFO GROUPS k', 'XPENDING k g']) {
      expect(simulated.run(more)).toBe(await run(words(more)))
    }
    client.socket.destroy()
  })
})
