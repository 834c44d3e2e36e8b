/** PostgreSQL's programs on this machine, and the user that can run them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of PostgreSQL 15's programs: the one that `POSTGRES_PROGRAMS` names, or Debian's. */
export function usualPrograms(): string {
  return process.env.POSTGRES_PROGRAMS || '/usr/lib/postgresql/15/bin'
}

/** The folder if it holds the server's programs; undefined if some are missing. */
export function findPostgres(folder = usualPrograms()): string | undefined {
  return existsSync(join(folder, 'postgres')) && readdirSync(folder).includes('initdb') ? folder : undefined
}

/**
 * The user `postgres` if this process is root, which the server refuses; else undefined.
 * @throws Error if there is no such user
 */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith('postgres:'))
  const [, , uid, gid] = (line ?? '').split(':')
  if (uid === undefined) throw new Error('PostgreSQL does not run as root, and there is no user postgres')
  return { uid: Number(uid), gid: Number(gid) }
}
