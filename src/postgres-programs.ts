/** PostgreSQL's own programs on this machine, and the user that may run them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where Debian has those of PostgreSQL 15. */
export const debianPrograms = '/usr/lib/postgresql/15/bin'

/** The folder, where its programs are there; undefined where some are missing. */
export function findPostgres(folder = debianPrograms): string | undefined {
  return existsSync(join(folder, 'postgres')) && readdirSync(folder).includes('initdb') ? folder : undefined
}

/** The server refuses to run as root: then it runs as the user that its package has made. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith('postgres:'))
  const [, , uid, gid] = (line ?? '').split(':')
  if (uid === undefined) throw new Error('PostgreSQL does not run as root, and there is no user postgres')
  return { uid: Number(uid), gid: Number(gid) }
}
