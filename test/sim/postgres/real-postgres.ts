/** A PostgreSQL 15 of this machine, for as long as some tests want it: its cluster in a temporary folder, nobody asked for a password. */
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '../../../src/free-port.ts'
import { connected } from './message-client.ts'

const binaries = '/usr/lib/postgresql/15/bin'

/** Null where it is not installed: `apt-get install postgresql-15`. */
export const postgresIsThere = fs.existsSync(path.join(binaries, 'postgres'))

export interface RealPostgres {
  readonly port: number
  stop(): Promise<void>
}

/** It refuses to run as root: it is then run by the user that Debian has made for it. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (what: string) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export async function startPostgres(): Promise<RealPostgres> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postgres-'))
  const as = owner()
  if (as.uid !== undefined) {
    fs.chownSync(folder, as.uid, as.gid!)
    fs.chmodSync(os.tmpdir(), 0o755)
  }
  const data = path.join(folder, 'data')
  const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  execFileSync(path.join(binaries, 'initdb'), options, { ...as, cwd: folder, stdio: 'ignore' })
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: 'off',
    timezone: 'UTC',
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(path.join(binaries, 'postgres'), ['-D', data, ...given], { ...as, cwd: folder, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  await connected(port)
  return {
    port,
    async stop() {
      // An immediate shutdown: its data are thrown away.
      server.kill('SIGQUIT')
      await ended
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
