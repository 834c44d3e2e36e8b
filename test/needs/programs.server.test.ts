/** The programs of a machine, made up of scripts on the path. */
import fs from 'node:fs'
import path from 'node:path'
import { serverUser } from 'test-servers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../cli/run-cli.ts'
import { findPrograms, type Programs } from './programs.ts'

/** A folder of shell scripts. */
function folderOf(programs: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(programs))
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return folder
}

/** The programs of a machine whose path has only these scripts. */
function findOn(programs: Readonly<Record<string, string>>, probeMs?: number): Promise<Programs> {
  vi.stubEnv('PATH', folderOf(programs))
  vi.stubEnv('TOXIPROXY_URL', undefined)
  return findPrograms(probeMs)
}

afterEach(() => void vi.unstubAllEnvs())

describe('a redis-server on the path', () => {
  const redis = async (script: string, probeMs?: number) => (await findOn({ 'redis-server': script }, probeMs)).redis

  it('is found with its version', async () => {
    expect(await redis("echo 'Redis server v=7.0.15 sha=00000000:0 malloc=libc bits=64'")).toEqual({
      at: path.join(process.env.PATH!, 'redis-server'),
      version: '7.0.15',
      why: 'found 7.0.15',
    })
  })

  it('is missing if it is Valkey', async () => {
    const valkey = "echo 'Valkey server v=8.0.1 sha=00000000:0 malloc=libc bits=64'"
    expect(await redis(valkey)).toMatchObject({
      at: null,
      why: expect.stringMatching(/^found Valkey server v=8\.0\.1/),
    })
  })

  it.each([
    ['prints nothing', ''],
    ['fails', "echo 'Redis server v=7.0.15'; exit 1"],
  ])('is missing if it %s', async (_, script) => {
    expect(await redis(script)).toMatchObject({
      at: null,
      why: expect.stringMatching(/redis-server prints no version$/),
    })
  })

  it('is missing if it does not answer in time', async () => {
    const why = expect.stringMatching(/redis-server prints no version$/)
    expect(await redis('exec /bin/sleep 60', 200)).toMatchObject({ at: null, why })
  })
})

it('finds the first python3 that imports redis', async () => {
  const [without, has] = [folderOf({ python3: 'exit 1' }), folderOf({ python3: 'echo 4.3.4' })]
  vi.stubEnv('PATH', `${without}:${has}`)
  expect((await findPrograms()).python).toEqual({ at: `${has}/python3`, version: '4.3.4', why: 'found redis-py 4.3.4' })
})

it('reports the missing parts of python3 and Docker', async () => {
  const { python, docker } = await findOn({ python3: 'exit 1', docker: 'exit 1' })
  expect(python).toEqual({ at: null, version: '', why: 'python3 has no module redis' })
  expect(docker).toEqual({ at: null, version: '', why: 'no engine answers' })
})

it('finds nothing on an empty path', async () => {
  const { postgres, ...others } = await findOn({})
  const reasons = Object.values(others).map(({ why }) => why)
  expect(reasons).toEqual(['not found', 'python3 not found', ...Array.from({ length: 5 }, () => 'not found')])
})

describe('the folder that POSTGRES_PROGRAMS names', () => {
  const postgres = async (programs: Readonly<Record<string, string>>) => {
    const folder = folderOf(programs)
    vi.stubEnv('POSTGRES_PROGRAMS', folder)
    return { folder, found: (await findOn({})).postgres }
  }

  /** Why no user of this machine can run PostgreSQL: root cannot. */
  const whyNoUser = (): string | null => {
    try {
      serverUser()
      return null
    } catch (error) {
      return (error as Error).message
    }
  }

  it.each(['13.14', '15.18', '17.2'])(
    'has PostgreSQL %s if its server says so, and a user can run it',
    async (version) => {
      const { folder, found } = await postgres({ postgres: `echo 'postgres (PostgreSQL) ${version}'`, initdb: '' })
      const refusal = whyNoUser()
      if (refusal === null) expect(found).toEqual({ at: folder, version, why: `found ${version}` })
      else expect(found).toEqual({ at: null, version: '', why: refusal })
    },
  )

  it('lacks PostgreSQL without initdb', async () => {
    const { found } = await postgres({ postgres: "echo 'postgres (PostgreSQL) 15.20'" })
    expect(found).toEqual({ at: null, version: '', why: 'not found' })
  })

  it('lacks PostgreSQL if its server prints no version', async () => {
    const { folder, found } = await postgres({ postgres: '', initdb: '' })
    expect(found).toEqual({ at: null, version: '', why: `${folder}/postgres prints no version` })
  })
})
