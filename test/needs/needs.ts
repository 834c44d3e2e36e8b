/**
 * What a group of tests needs from the machine. A missing need skips the group by name, and the run
 * ends with a table of the skipped groups (skipped-table.ts).
 */
import { describe, inject, it } from 'vitest'
import { type Programs, packages } from './programs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    programs: Programs
  }
  interface TaskMeta {
    missing?: readonly MissingNeed[]
  }
}

/**
 * Minimum versions: `7.0` is any Redis 7.0, `15` any PostgreSQL 15, `15.20` any from 15.20 to
 * 15.99.
 */
export interface Needs {
  readonly redis?: string
  readonly postgres?: string
  /** A module that `python3` imports. */
  readonly python?: 'redis'
  readonly go?: true
  readonly chromium?: true
  /** Images that the engine has. */
  readonly docker?: readonly string[]
  readonly compose?: true
  readonly toxiproxy?: true
}

export interface MissingNeed {
  /** `redis-server 7.0`. */
  readonly what: string
  /** `found 6.0.16`. */
  readonly why: string
  /** The Debian package; null if Debian has none. */
  readonly install: string | null
}

/** Leading numbers of a version that must be equal; the rest are minima. */
const sameLine = { redis: 2, postgres: 1 } as const
const names: Readonly<Record<keyof Programs, string>> = {
  redis: 'redis-server',
  postgres: 'PostgreSQL',
  python: 'python3 with redis-py',
  go: 'go',
  chromium: 'chromium',
  docker: 'Docker',
  compose: 'docker compose',
  toxiproxy: 'toxiproxy-server',
}

/** The programs of this machine. @throws Error in the fast tier, which has none */
function programs(): Programs {
  const found = inject('programs') as Programs | undefined
  if (found === undefined) throw new Error('the fast tier has no servers: name the file x.server.test.ts')
  return found
}

/** The path, folder or address of a program that the group needs. @throws Error if it is missing */
export function pathOf(name: keyof Programs): string {
  const { at } = programs()[name]
  if (at === null) throw new Error(`${names[name]} is missing: add it to needs()`)
  return at
}

/**
 * `.ci/run` plays the groups that have one of these needs alone on a machine that has nothing else.
 * It does not play them again.
 */
const playedAlone = (process.env.NEEDS_PLAYED_ALONE ?? '').split(' ')

/** `describe` and `it` for a group or a test with these needs. */
export function needs(wanted: Needs) {
  const missing = missingNeeds(wanted, programs())
  const kinds = Object.keys(wanted)
  const played = missing.length === 0 && kinds.length === 1 && playedAlone.includes(kinds[0]!)
  const reason = played ? 'played alone' : missing.map(({ what, why }) => `${what}: ${why}`).join('; ')
  const skipped = (title: string) => [`${title} (skipped: ${reason})`, { meta: { missing } }] as const
  return {
    describe(title: string, suite: () => void): void {
      if (reason === '') describe(title, suite)
      else describe.skip(...skipped(title), suite)
    },
    it(title: string, test: () => unknown): void {
      if (reason === '') it(title, test)
      else it.skip(...skipped(title), test)
    },
  }
}

export function missingNeeds(wanted: Needs, found: Programs): MissingNeed[] {
  const kinds = Object.keys(wanted) as (keyof Programs)[]
  return kinds.flatMap((kind) => {
    const { at, version, why } = found[kind]
    const asked = wanted[kind]
    const whole = { what: names[kind], why, install: packages[kind] }
    if (kind === 'docker')
      return at === null
        ? [whole]
        : wanted
            .docker!.filter((image) => !version.split(' ').includes(image))
            .map((image) => ({ what: `image ${image}`, why: 'not found', install: null }))
    if (kind === 'redis' || kind === 'postgres') {
      const serves = at !== null && isAtLeast(version, asked as string, sameLine[kind])
      return serves ? [] : [{ ...whole, what: `${names[kind]} ${asked}` }]
    }
    return at === null ? [whole] : []
  })
}

function isAtLeast(version: string, wanted: string, same: number): boolean {
  const has = version.split('.').map(Number)
  const asked = wanted.split('.').map(Number)
  const differs = asked.findIndex((number, i) => number !== has[i])
  return differs === -1 || (differs >= same && has[differs]! > asked[differs]!)
}
