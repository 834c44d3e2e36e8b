import { execFile } from 'node:child_process'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'

function fidelity(args: readonly string[], path = process.env.PATH) {
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, PATH: path }
    const command = ['--import', 'tsx', 'packages/redis-sim/fidelity/main.ts', ...args]
    const child = execFile(process.execPath, command, { env }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    )
  })
}

// No test of this file depends on time, so all tests run concurrently.
describe.concurrent('pnpm fidelity', () => {
  it('reports that it is skipped without a redis-server, and succeeds', async () => {
    const { status, stdout } = await fidelity([], '/nowhere')
    expect(stdout).toMatch(/^fidelity skipped: redis-server not found; /)
    expect(status).toBe(0)
  })

  it('reports a missing server in one line, with exit code 2', async () => {
    const { status, stderr } = await fidelity(['--redis', './no-such-server'])
    expect(stderr).toMatch(/^no redis-server at \.\/no-such-server: not found; give a program or host:port/m)
    expect(status).toBe(2)
  })

  it('prints one JSON document with --json, even if it cannot start', async () => {
    const { status, stdout } = await fidelity(['--json', '--redis', './no-such-server'])
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      error: { culprit: 'no redis-server at ./no-such-server' },
    })
    expect(status).toBe(2)
  })

  it('reports in one line or one JSON document that the server ended, with exit code 3', async () => {
    const version = 'redis_version:7.0.15\r\n'
    const answers = [`$${version.length}\r\n${version}\r\n`, '*2\r\n$10\r\n1767225600\r\n$1\r\n0\r\n']
    const ask = async (more: readonly string[]) => {
      // The server answers with its version and time, and closes the connection at the next
      // command.
      const server = net.createServer((socket) => {
        const left = [...answers]
        socket.on('data', () => {
          const answer = left.shift()
          if (answer === undefined) socket.destroy()
          else socket.write(answer)
        })
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
      const { status, stdout, stderr } = await fidelity(['--redis', address, ...more])
      server.close()
      return { status, stdout, stderr: stderr.replace(address, 'there') }
    }
    const remedy = 'check that it still runs, and try again'
    const inWords = await ask([])
    expect([inWords.status, inWords.stderr]).toEqual([3, `the Redis at there has closed the connection: ${remedy}\n`])
    const inJson = await ask(['--json'])
    expect([inJson.status, inJson.stderr]).toEqual([3, ''])
    const { error } = JSON.parse(inJson.stdout)
    expect(error).toEqual({
      culprit: expect.stringMatching(/^the Redis at 127\.0\.0\.1:\d+ has closed the connection$/),
      remedy,
    })
  })

  it.each([[['--nonsense']], [['--seed', 'x']], [['--commands', '-1']]])(
    'rejects %j with exit code 2',
    async (args) => {
      expect((await fidelity(args)).status).toBe(2)
    },
  )
}, 60_000)
