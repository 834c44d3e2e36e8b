import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'

function fidelity(args: readonly string[], path = process.env.PATH) {
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, PATH: path }
    const command = ['--import', 'tsx', 'fidelity/main.ts', ...args]
    const child = execFile(process.execPath, command, { env }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    )
  })
}

// Nothing of these rests on time: all at once.
describe.concurrent('pnpm fidelity', () => {
  it('says that it skipped, by name, where there is no redis-server, and is no failure', async () => {
    const { status, stdout } = await fidelity([], '/nowhere')
    expect(stdout).toMatch(/^fidelity skipped: no redis-server found: /)
    expect(status).toBe(0)
  })

  it('cannot start with a server that is missing: one line, exit 2', async () => {
    const { status, stderr } = await fidelity(['--redis', './no-such-server'])
    expect(stderr).toMatch(/^no redis-server at \.\/no-such-server: name a program or host:port/m)
    expect(status).toBe(2)
  })

  it('answers in one JSON document under --json, when it cannot start too', async () => {
    const { status, stdout } = await fidelity(['--json', '--redis', './no-such-server'])
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      error: { culprit: 'no redis-server at ./no-such-server' },
    })
    expect(status).toBe(2)
  })

  it.each([[['--nonsense']], [['--seed', 'x']], [['--commands', '-1']]])('refuses %j with exit 2', async (args) => {
    expect((await fidelity(args)).status).toBe(2)
  })
}, 60_000)
