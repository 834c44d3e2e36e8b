/** The command `onceproof live` with layers on PostgreSQL, as a user runs it. */
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { freePort, type PostgresServer, startPostgres } from 'test-servers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliContext, onceproof as spawned, temporaryFolder } from '../../cli/run-cli.ts'
import { onceproofHere } from '../../cli/run-here.ts'
import { needs, pathOf } from '../../needs/needs.ts'

/**
 * Not the temporary folder of the machine, because every live command lists leftovers of other runs
 * there.
 */
const temporary = temporaryFolder()
const onceproof = (args: readonly string[], around: CliContext = {}) =>
  spawned(args, { ...around, env: { TMPDIR: temporary } })
const layer = (name: string) => fileURLToPath(new URL(`../adapters/${name}.ts`, import.meta.url))
const builtin = ['live', '--proxy', 'builtin', '--margin', '60000', '--json', '--no-html']

/** A run that breaks every layer that reads before it inserts, so that no selection is needed. */
const broken = ['--scenario', 'competing-consumers', '--run', '144']

needs({ postgres: '15' }).describe('live on PostgreSQL', () => {
  it('breaks a layer that reads before it inserts, as the simulator predicted, without Redis', async () => {
    const args = ['--impl', layer('looks-before-inserting'), '--scenario', 'competing-consumers', '--runs', '2']
    const { code, stdout } = await onceproof([...builtin, ...args, '--redis-binary', 'no-such-redis'])
    const [pair] = JSON.parse(stdout).pairs
    expect({ code, verdict: pair.verdict }).toEqual({ code: 1, verdict: 'violated' })
    expect(pair.violations[0]).toMatchObject({ invariant: 'at-most-once', kind: 'duplicate', token: null })
    expect(pair.live.simulated[0].says).toMatch(/^at-most-once duplicate in \d+ of 16$/)
    expect(pair.live.on).toMatch(/^local: built-in proxy, PostgreSQL \S+$/)
    expect(fs.readdirSync(temporary)).toEqual([])
  })

  it('passes the reference with the goals that the simulator surely reaches in the chosen plans', async () => {
    const twoCopies = fileURLToPath(new URL('../two-copies.ts', import.meta.url))
    const args = ['--impl', 'reference-postgres', '--scenario', twoCopies]
    const { code, stdout } = await onceproof([...builtin, ...args])
    const [pair] = JSON.parse(stdout).pairs
    expect({ code, verdict: pair.verdict, reason: pair.reason }).toEqual({ code: 0, verdict: 'pass', reason: null })
    expect(Object.values(pair.goals).every((runs) => Number(runs) > 0)).toBe(true)
  })

  describe('in a database of the user', () => {
    let server: PostgresServer
    let client: Client
    const urlOf = (database: string, port = server.port) => `postgres://postgres:secret@127.0.0.1:${port}/${database}`
    const named = (url: string, ...more: string[]) =>
      onceproofHere(['live', '--with', url, '--impl', 'reference-postgres', '--scenario', 'postgres-crash', ...more], {
        servers: true,
      })

    beforeAll(async () => {
      server = await startPostgres(pathOf('postgres'), ['track_commit_timestamp=on'])
      client = new Client(urlOf('postgres'))
      await client.connect()
      await client.query('CREATE DATABASE empty')
      await client.query('CREATE DATABASE guarded')
      await client.query('CREATE DATABASE late')
      await client.query('CREATE DATABASE used')
      const used = new Client(urlOf('used'))
      await used.connect()
      await used.query('CREATE TABLE customers (id int)')
      await used.end()
    })
    afterAll(async () => {
      await client?.end()
      await server?.stop()
    })

    /** Forbids to drop tables of that database while the condition is true. */
    const guard = async (database: string, condition: string) => {
      const guarded = new Client(urlOf(database))
      await guarded.connect()
      // In a schema that runs do not search for leftovers.
      await guarded.query(
        `CREATE FUNCTION information_schema.keep() RETURNS event_trigger LANGUAGE plpgsql AS
         $$ BEGIN IF ${condition} THEN RAISE 'nothing is dropped here'; END IF; END $$`,
      )
      await guarded.query(
        `CREATE EVENT TRIGGER keep ON ddl_command_start WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION information_schema.keep()`,
      )
      await guarded.end()
    }

    it('runs there, leaves the server alone, and leaves the database empty', async () => {
      const args = ['--with', urlOf('empty'), '--impl', layer('looks-before-inserting'), '--sink', 'transactional']
      const { code, stdout } = await onceproof([...builtin, ...args, ...broken])
      const [pair] = JSON.parse(stdout).pairs
      expect({ code, kind: pair.violations[0]?.kind }).toEqual({ code: 1, kind: 'duplicate' })
      expect(stdout).not.toContain('secret')
      const left = new Client(urlOf('empty'))
      await left.connect()
      const { rows } = await left.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")
      await left.end()
      expect(rows).toEqual([])
    })

    it('lists the faults that it must not cause on that server', async () => {
      const args = ['--with', urlOf('empty'), '--impl', 'reference-postgres', '--scenario', 'postgres-crash', '--run']
      const { stdout } = await onceproof([...builtin, ...args, '81'])
      const whys: { fault: string; why: string }[] = JSON.parse(stdout).pairs[0].live.notMade
      expect(whys.map(({ why }) => why)).toContain('runs do not restart a server that you give')
    })

    it('reports a database that it cannot empty, with its leftovers, in one line, with exit code 2', async () => {
      await guard('guarded', 'true')
      const inWords = builtin.filter((word) => word !== '--json')
      const reports = temporaryFolder()
      const args = ['--with', urlOf('guarded'), '--impl', layer('looks-before-inserting'), '--run', '0']
      const more = ['--scenario', 'competing-consumers', '--reports', reports]
      const { code, stdout, stderr } = await onceproof([...inWords, ...args, ...more])
      const reported = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('could not be emptied'))
      expect([code, reported]).toEqual([
        2,
        [
          expect.stringMatching(
            /--with postgres:.*\/guarded: the database could not be emptied \(TABLE public\.\w+.*: nothing is dropped here\); drop the rest yourself/,
          ),
        ],
      ])
      expect(`${stdout}${stderr}`).not.toContain('secret')
      // Earlier results are kept, as after Ctrl-C.
      const { exitCode, interrupted } = JSON.parse(fs.readFileSync(`${reports}/latest/results.json`, 'utf8'))
      expect({ exitCode, interrupted }).toEqual({ exitCode: 2, interrupted: true })
    })

    it('keeps results from before it could not empty the database, with exit code 1', async () => {
      await guard('late', "EXISTS (SELECT FROM pg_class WHERE relname = 'once_records')")
      const args = ['--with', urlOf('late'), '--impl', layer('looks-before-inserting'), '--impl', 'reference-postgres']
      const { code, stdout, stderr } = await onceproof([...builtin, ...args, ...broken])
      const { pairs, exitCode } = JSON.parse(stdout)
      expect([code, exitCode, pairs.map(({ verdict }: { verdict: string }) => verdict)]).toEqual([1, 1, ['violated']])
      const reported = stderr.split('\n').filter((line) => line.includes('could not be emptied'))
      expect(reported).toEqual([
        expect.stringMatching(/^the live run failed: reference-postgres under .*nothing is dropped/),
      ])
    })

    it.each([
      ['not empty', () => urlOf('used'), /the database is not empty \(TABLE public\.customers\)/],
      ['not there', () => urlOf('missing'), /unreachable \(database "missing" does not exist\)/],
      ['down', () => urlOf('empty', 1), /unreachable \(.*ECONNREFUSED/],
      ['without a name', () => 'postgres://postgres@127.0.0.1', /give user, host and database/],
      ['with settings', () => `${urlOf('empty')}?sslmode=require`, /remove \?sslmode=require/],
    ])('rejects one that is %s in one line, with exit code 2', async (_, url, says) => {
      const { code, stderr } = await named(url())
      expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringMatching(says)]])
      expect(stderr).not.toContain('secret')
    })

    it('rejects a server that does not record commit times', async () => {
      const other = await startPostgres(pathOf('postgres'))
      const { code, stderr } = await named(urlOf('postgres', other.port)).finally(() => other.stop())
      expect([code, stderr]).toEqual([2, expect.stringMatching(/set track_commit_timestamp = on/)])
    })
  })
})

needs({ redis: '7.0', postgres: '15' }).it('live plays a layer on both stores with both servers', async () => {
  const both = temporaryFolder()
  fs.writeFileSync(
    `${both}/both.ts`,
    fs
      .readFileSync(layer('looks-before-inserting'), 'utf8')
      .replace("stores: ['postgres']", "stores: ['redis', 'postgres']")
      .replace("from 'pg'", `from '${fileURLToPath(import.meta.resolve('pg'))}'`)
      .replaceAll('../../../src/', fileURLToPath(new URL('../../../src/', import.meta.url))),
  )
  const args = ['--impl', `${both}/both.ts`, '--scenario', 'competing-consumers', '--run', '0']
  const { stdout } = await onceproof([...builtin, ...args])
  expect(JSON.parse(stdout).pairs[0].live.on).toMatch(/^local: Redis \S+, built-in proxy, PostgreSQL \S+$/)
})

it.each([
  [['--with', 'local', '--postgres-programs', '/nowhere'], /\/nowhere: there is no PostgreSQL; install it/],
  [
    ['--with', 'docker'],
    /--with docker: no container engine answers; start one or set DOCKER_HOST, or choose --with local/,
  ],
  [['--with', 'compose'], /--with compose: the servers of docker-compose.yml do not answer; .*docker compose up/],
  [['--with', 'redis://127.0.0.1:6379'], /it has no PostgreSQL; choose local, docker, compose or an empty database/],
  [
    ['--postgres-programs', '/nowhere'],
    /live: no PostgreSQL in \/nowhere, and no container engine with the package testcontainers; install/,
  ],
])('%j is rejected in one line, with exit code 2', async (options, says) => {
  const { code, stderr } = await spawned(['live', '--impl', 'reference-postgres', ...options], {
    env: { TMPDIR: temporary, DOCKER_HOST: 'unix:///no/such.sock' },
  })
  const lines = stderr.split('\n').filter((line) => line.startsWith('onceproof: '))
  expect([code, lines]).toEqual([2, [expect.stringMatching(says)]])
})

it('a database is rejected for a layer that uses none, in one line, with exit code 2', async () => {
  const port = await freePort()
  const { code, stderr } = await onceproofHere([
    'live',
    '--impl',
    'reference',
    '--with',
    `postgres://a:b@127.0.0.1:${port}/c`,
  ])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/no layer uses PostgreSQL; give a Redis/)])
})
