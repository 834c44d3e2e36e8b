import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

function fidelity(args: readonly string[], path = process.env.PATH) {
  return spawnSync(process.execPath, ['--import', 'tsx', 'fidelity/main.ts', ...args], {
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  })
}

describe('pnpm fidelity', () => {
  it('says that it skipped, by name, where there is no redis-server, and is no failure', () => {
    const { status, stdout } = fidelity([], '/nowhere')
    expect(stdout).toMatch(/^fidelity skipped: no redis-server found: /)
    expect(status).toBe(0)
  })

  it('cannot start with a server that is missing: one line, exit 2', () => {
    const { status, stderr } = fidelity(['--redis', './no-such-server'])
    expect(stderr).toMatch(/^no redis-server at \.\/no-such-server: name a program or host:port/m)
    expect(status).toBe(2)
  })

  it('answers in one JSON document under --json, when it cannot start too', () => {
    const { status, stdout } = fidelity(['--json', '--redis', './no-such-server'])
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      error: { culprit: 'no redis-server at ./no-such-server' },
    })
    expect(status).toBe(2)
  })

  it.each([[['--nonsense']], [['--seed', 'x']], [['--commands', '-1']]])('refuses %j with exit 2', (args) => {
    expect(fidelity(args).status).toBe(2)
  })
}, 60_000)
