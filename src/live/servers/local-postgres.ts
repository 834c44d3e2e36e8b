/**
 * PostgreSQL from programs on this machine: initdb runs once, and each run gets a copy of the data
 * folder and a new server.
 */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findPostgres, freePort, serverUser } from 'test-servers'
import { LiveProblem } from '../environment/problem.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import type { PostgresHost } from '../postgres/postgres-machine.ts'
import { lastLine } from './own-process.ts'
import { PostgresProcess } from './postgres-process.ts'
import { refusalOf } from './usual-servers.ts'

const run = promisify(execFile)

/**
 * Opens the host.
 * @throws LiveProblem if the programs are missing or do not work
 */
export async function openLocalPostgres(directory: RunDirectory, programs: string): Promise<PostgresHost> {
  if (findPostgres(programs) === undefined)
    throw new LiveProblem(
      programs,
      'there is no PostgreSQL; install it (Debian: apt-get install postgresql-15), or name its programs by --postgres-programs <folder>',
    )
  const user = serverUser()
  // The folder is in /tmp, because a private temporary folder may be inaccessible to the server's
  // user.
  const home = directory.beside(user === undefined ? os.tmpdir() : '/tmp')
  if (user !== undefined) fs.chownSync(home, user.uid, user.gid)
  const own = { ...user, cwd: home, env: directory.env }
  const template = path.join(home, 'template')
  const options = ['-A', 'trust', '-N', '--locale=C', '-E', 'UTF8', '--wal-segsize=1']
  try {
    await run(path.join(programs, 'initdb'), ['-D', template, '-U', 'postgres', ...options], own)
  } catch (error) {
    throw new LiveProblem(path.join(programs, 'initdb'), lastLine((error as { stderr?: string }).stderr ?? ''))
  }
  let runs = 0
  return {
    about: await versionOf(programs),
    refuses: (power) => refusalOf(power, 'postgres'),
    async start(settings) {
      const data = path.join(home, `run-${++runs}`)
      await run('cp', ['-a', template, data], own)
      const machine = new PostgresProcess({
        ...{ programs, port: await freePort(), data, user, settings },
        env: directory.env,
        started: directory.started,
        removed: () => fs.promises.rm(data, { recursive: true, force: true }),
      })
      await machine.start().catch(async (error) => {
        await machine.close()
        throw error
      })
      return machine
    },
    close: async () => {},
  }
}

async function versionOf(programs: string): Promise<string> {
  const { stdout } = await run(path.join(programs, 'postgres'), ['--version'])
  const version = /\(PostgreSQL\) (\S+)/.exec(stdout)?.[1]
  return version === undefined ? stdout.trim() : `PostgreSQL ${version}`
}
