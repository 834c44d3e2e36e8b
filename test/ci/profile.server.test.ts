/** The environment of a command under `.ci/profile`. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../cli/run-cli.ts'

const script = fileURLToPath(new URL('../../.ci/profile', import.meta.url))

/** A folder with a program of each part; each prints its name. */
const programs = [
  'redis-server',
  'postgres',
  'python3.11',
  'go',
  'chromium-browser',
  'docker',
  'toxiproxy-server',
  'sort-of',
]

function machine(): { PATH: string; POSTGRES_PROGRAMS: string } {
  const folder = temporaryFolder()
  for (const name of programs) fs.writeFileSync(path.join(folder, name), `#!/bin/sh\necho ${name}\n`, { mode: 0o755 })
  const real = temporaryFolder()
  for (const name of ['postgres', 'initdb', 'pg_basebackup'])
    fs.writeFileSync(path.join(real, name), `#!/bin/sh\necho "real ${name} $*"\n`, { mode: 0o755 })
  return { PATH: `${folder}:/no/such::${process.env.PATH}`, POSTGRES_PROGRAMS: real }
}

function under(profile: string, ...command: string[]) {
  const more = { DOCKER_HOST: 'unix:///docker', TOXIPROXY_URL: 'http://toxiproxy', TMPDIR: temporaryFolder() }
  const env = { ...process.env, ...machine(), ...more }
  const { status, stdout, stderr } = spawnSync(script, [profile, ...command], { env, encoding: 'utf8' })
  return { code: status, stdout, stderr, left: fs.readdirSync(env.TMPDIR) }
}

const shell = (profile: string, line: string) => under(profile, 'bash', '-c', line).stdout.trim().split('\n')
const seen = (profile: string) =>
  shell(profile, `for i in ${programs.join(' ')}; do command -v $i >/dev/null && $i; done`)

describe('.ci/profile', () => {
  it.each([
    ['nothing', ['sort-of']],
    ['redis', ['redis-server', 'sort-of']],
    ['postgres', ['postgres', 'sort-of']],
    ['old-postgres', ['sort-of']],
    ['everything', programs],
  ])('%s has only its own programs', (profile, expected) => {
    expect(seen(profile)).toEqual(expected)
  })

  it.each(['nothing', 'redis'])('%s has no folder of PostgreSQL, no Docker and no Toxiproxy', (profile) => {
    const lines = shell(profile, 'ls "$POSTGRES_PROGRAMS"; echo "${DOCKER_HOST-none} ${TOXIPROXY_URL-none}"')
    expect(lines).toEqual(['none none'])
  })

  it('old-postgres prints version 15.18, and is the real one otherwise', () => {
    const call = (words: string) => `"$POSTGRES_PROGRAMS"/${words}`
    const line = [call('postgres --version'), call('initdb -D x'), call('pg_basebackup')].join('; ')
    expect(shell('old-postgres', line)).toEqual([
      'postgres (PostgreSQL) 15.18',
      'real initdb -D x',
      'real pg_basebackup '.trim(),
    ])
  })

  it.each(['postgres', 'everything'])("%s has this machine's PostgreSQL", (profile) => {
    expect(shell(profile, '"$POSTGRES_PROGRAMS"/postgres --version')).toEqual(['real postgres --version'])
  })

  it('runs Node and npm, whose programs are links', () => {
    expect(under('nothing', 'node', '--version')).toMatchObject({ code: 0, stdout: `${process.version}\n` })
    expect(under('nothing', 'npm', '--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\./) })
  })

  it("ends with the command's exit code, and leaves no file", () => {
    expect(under('nothing', 'bash', '-c', 'exit 7')).toMatchObject({ code: 7, left: [] })
    expect(under('old-postgres', 'true')).toMatchObject({ code: 0, left: [] })
  })

  it('refuses an unknown profile, and a profile without a command', () => {
    const stderr = 'unknown profile none: name nothing, redis, postgres, old-postgres or everything\n'
    expect(under('none', 'true')).toMatchObject({ code: 2, stdout: '', stderr })
    const usage = 'usage: .ci/profile <name> <command>…\n'
    expect(under('nothing')).toMatchObject({ code: 2, stdout: '', stderr: usage })
  })
})
