import { execFile, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endingWithParent } from '../ending-with-parent.ts'
import { freePort } from '../free-port.ts'
import { running } from '../running.ts'
import { serverUser } from './programs.ts'

export interface PostgresServer {
  readonly port: number
  stop(): Promise<void>
  /** Kills the postmaster immediately. Its other processes notice that and end. */
  kill(): Promise<void>
}

/** The maximum wait for sessions to end. They usually end within milliseconds. */
const timeoutMs = 5000

/** The minor version: 20 for PostgreSQL 15.20. */
export function minorVersion(programs: string): number {
  const reported = spawnSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout
  return Number(/ 15\.(\d+)/.exec(reported)?.[1] ?? 0)
}

/**
 * Starts an empty server on 127.0.0.1, or a standby of `primary`. Autovacuum is off, because it
 * could move rows at any time. `more` contains settings of the form `name=value`.
 * @throws Error if the server ends at once
 */
export async function startPostgres(
  programs: string,
  more: readonly string[] = [],
  primary?: PostgresServer,
): Promise<PostgresServer> {
  const port = await freePort()
  const user = serverUser()
  // The temporary folder of this user may be inaccessible to the user `postgres`.
  const home = mkdtempSync(join(user ? '/tmp' : tmpdir(), 'onceproof-postgres-'))
  if (user) chownSync(home, user.uid, user.gid)
  const data = join(home, 'data')
  const options = { ...user, cwd: home }
  const login = ['-D', data, '-U', 'postgres']
  const [program, given] = primary
    ? ['pg_basebackup', ['-h', '127.0.0.1', '-p', String(primary.port), '-R', '-N', '-c', 'fast']]
    : ['initdb', ['-A', 'trust', '-N', '--locale=C', '-E', 'UTF8']]
  try {
    await promisify(execFile)(join(programs, program), [...login, ...given], options)
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
  const settings = [
    ...[`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${home}`, 'fsync=off', 'autovacuum=off'],
    ...['timezone=UTC', 'max_connections=60', 'shared_buffers=16MB', ...more],
  ]
  const words = ['-D', data, ...settings.flatMap((one) => ['-c', one])]
  // On SIGQUIT, the postmaster releases the memory that it shares with its sessions.
  const child = spawn(...endingWithParent(join(programs, 'postgres'), words, 'QUIT'), {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = () => {
    // A stopped process reacts only after SIGCONT.
    child.kill('SIGCONT')
    child.kill('SIGQUIT')
    rmSync(home, { recursive: true, force: true })
  }
  running.add(kill)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let log = ''
    child.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000)
      if (/ready to accept (read-only )?connections/.test(log)) resolve()
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`postgres exited immediately:\n${log}`)))
  })
  return {
    port,
    async stop() {
      // A stopped process reacts only after SIGCONT. SIGINT waits for sessions; SIGQUIT does not.
      child.kill('SIGCONT')
      child.kill('SIGINT')
      const atOnce = setTimeout(() => child.kill('SIGQUIT'), timeoutMs)
      await ended
      clearTimeout(atOnce)
      running.delete(kill)
      rmSync(home, { recursive: true, force: true })
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
