/** PostgreSQL's programs on this machine, and the user that can run the server. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of PostgreSQL 15's programs: `POSTGRES_PROGRAMS`, or else Debian's folder. */
export function usualPrograms(): string {
  return process.env.POSTGRES_PROGRAMS || '/usr/lib/postgresql/15/bin'
}

/** Returns the folder if it contains the server's programs; undefined if some are missing. */
export function findPostgres(folder = usualPrograms()): string | undefined {
  return existsSync(join(folder, 'postgres')) && readdirSync(folder).includes('initdb') ? folder : undefined
}

/**
 * The user `postgres` if this process is root, because the server refuses to run as root; else
 * undefined.
 * @throws Error if there is no user `postgres`
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
