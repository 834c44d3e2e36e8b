/**
 * Looks up the programs that tests need, once per run. A program that is missing, too old or of
 * another make has a reason, and the tests that need it are skipped.
 */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { findPostgres, serverUser } from 'test-servers'

/**
 * `at` is the path, folder or address, null if the program cannot be used. `why` gives the reason.
 */
export interface Program {
  readonly at: string | null
  readonly version: string
  readonly why: string
}

export interface Programs {
  readonly redis: Program
  /** The folder of the server's programs. */
  readonly postgres: Program
  /** A Python that imports redis-py. */
  readonly python: Program
  readonly go: Program
  readonly chromium: Program
  /** `version` lists the images that are here, one per word. */
  readonly docker: Program
  readonly compose: Program
  readonly toxiproxy: Program
}

/** Debian packages that provide each program; null if Debian has none. */
export const packages: Readonly<Record<keyof Programs, string | null>> = {
  redis: 'redis-server',
  postgres: 'postgresql-15',
  python: 'python3-redis',
  go: 'golang-go',
  chromium: 'chromium',
  docker: 'docker.io',
  compose: 'docker-compose',
  toxiproxy: null,
}

/** Standard output of a program; null if it fails, is missing, or does not end in time. */
type OutputOf = (program: string, ...args: string[]) => Promise<string | null>

const outputWithin =
  (timeout: number): OutputOf =>
  async (program, ...args) => {
    try {
      return (await promisify(execFile)(program, args, { timeout, killSignal: 'SIGKILL' })).stdout
    } catch {
      return null
    }
  }

/** Every file of that name on the path, in the path's order. */
function onPath(name: string): string[] {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return files.filter((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

const missing = (why: string): Program => ({ at: null, version: '', why })

/** The first program of these names on the path whose output has a version. */
async function versioned(
  outputOf: OutputOf,
  names: readonly string[],
  args: readonly string[],
  version: RegExp,
): Promise<Program> {
  const at = names.flatMap(onPath)[0]
  if (at === undefined) return missing('not found')
  const output = await outputOf(at, ...args)
  const found = version.exec(output ?? '')?.[1]
  if (found !== undefined) return { at, version: found, why: `found ${found}` }
  const first = output?.trim().split('\n')[0]?.slice(0, 40)
  return missing(first ? `found ${first}` : `${at} prints no version`)
}

async function postgres(outputOf: OutputOf): Promise<Program> {
  const folder = findPostgres()
  if (folder === undefined) return missing('not found')
  const version = / (\d+\.\d+)/.exec((await outputOf(join(folder, 'postgres'), '--version')) ?? '')?.[1]
  if (version === undefined) return missing(`${folder}/postgres prints no version`)
  try {
    serverUser()
  } catch (error) {
    return missing((error as Error).message)
  }
  return { at: folder, version, why: `found ${version}` }
}

async function python(outputOf: OutputOf): Promise<Program> {
  const candidates = onPath('python3')
  for (const at of candidates) {
    const version = await outputOf(at, '-c', 'import redis; print(redis.__version__)')
    if (version !== null) return { at, version: version.trim(), why: `found redis-py ${version.trim()}` }
  }
  return missing(candidates.length === 0 ? 'python3 not found' : 'python3 has no module redis')
}

async function docker(outputOf: OutputOf): Promise<Program> {
  const at = onPath('docker')[0]
  if (at === undefined) return missing('not found')
  const images = await outputOf(at, 'image', 'ls', '--format', '{{.Repository}}:{{.Tag}}')
  if (images === null) return missing('no engine answers')
  return { at, version: images.trim().split('\n').join(' '), why: 'image not found' }
}

async function compose(outputOf: OutputOf): Promise<Program> {
  for (const command of ['docker compose', 'docker-compose']) {
    const [program, ...args] = command.split(' ')
    if ((await outputOf(program!, ...args, 'version')) !== null) return { at: command, version: '', why: '' }
  }
  return missing('not found')
}

async function toxiproxy(outputOf: OutputOf): Promise<Program> {
  const url = process.env.TOXIPROXY_URL
  return url !== undefined
    ? { at: url, version: '', why: 'TOXIPROXY_URL' }
    : await versioned(outputOf, ['toxiproxy-server'], ['-version'], /(\d+\.\d+\.\d+)/)
}

/** A program that does not answer within `probeMs` counts as missing. */
export async function findPrograms(probeMs = 10_000): Promise<Programs> {
  const outputOf = outputWithin(probeMs)
  const [redis, postgresql, pythonWithRedis, go, chromium, engine, composer, proxy] = await Promise.all([
    versioned(outputOf, ['redis-server'], ['--version'], /^Redis server v=(\S+)/),
    postgres(outputOf),
    python(outputOf),
    versioned(outputOf, ['go'], ['version'], /go(\d+\.\d+)/),
    versioned(outputOf, ['chromium', 'chromium-browser', 'google-chrome'], ['--version'], /(\d+\.\d+)/),
    docker(outputOf),
    compose(outputOf),
    toxiproxy(outputOf),
  ])
  return {
    ...{ redis, postgres: postgresql, python: pythonWithRedis, go, chromium },
    ...{ docker: engine, compose: composer, toxiproxy: proxy },
  }
}

/** Servers of tests listen on 127.0.0.1. @throws Error if this machine lacks that address */
export async function requireLoopback(): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(new Error(`tests with servers need 127.0.0.1 (${code}): ip address add 127.0.0.1/8 dev lo`)),
    )
    probe.listen(0, '127.0.0.1', () => probe.close(() => resolve()))
  })
}
