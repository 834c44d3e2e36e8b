/** From what the user wishes to where live runs take place. */

import type { StoreKind } from '../contract/store.ts'
import { debianPrograms } from '../postgres-programs.ts'
import type { LiveEnvironment } from './environment.ts'
import type { PostgresHost } from './postgres/postgres-machine.ts'
import { withoutPostgres, withoutRedis, withPostgres } from './postgres/with-postgres.ts'
import { LiveProblem } from './problem.ts'
import { openProxy } from './proxy/open-proxy.ts'
import type { RunDirectory } from './run-directory.ts'
import { openCompose } from './servers/compose.ts'
import { type DockerWish, hasEngine, openDocker } from './servers/docker.ts'
import { images } from './servers/images.ts'
import { openLocal, serverProgram } from './servers/local.ts'
import { openLocalPostgres } from './servers/local-postgres.ts'
import { openNamed } from './servers/named.ts'
import { isPostgresUrl, openNamedPostgres } from './servers/named-postgres.ts'
import { withoutPassword } from './servers/server-url.ts'

export interface EnvironmentOptions extends Omit<DockerWish, 'contained'> {
  /** `local`, `docker`, `compose` or URLs; absent for the best one present. */
  readonly with?: string
  /** `builtin`, `toxiproxy` or the URL of one; absent for the best one present. */
  readonly proxy?: string
  readonly redisBinary: string
  /** The folder of PostgreSQL's programs. */
  readonly postgresPrograms: string
  readonly allowDestructive?: boolean
}

export interface OpenEnvironment extends LiveEnvironment {
  /** The options that have to be given to get the same one again. */
  readonly wish: string
}

/** `stores`: those that some layer asks for. @throws LiveProblem */
export async function openEnvironment(
  wish: EnvironmentOptions,
  directory: RunDirectory,
  stores: ReadonlySet<StoreKind>,
): Promise<OpenEnvironment> {
  const chosen = wish.with ?? (stores.has('redis') ? await bestPresent(wish) : 'local')
  if (isPostgresUrl(chosen) && !stores.has('postgres'))
    throw new LiveProblem(`--with ${withoutPassword(chosen)}`, 'no layer here asks for PostgreSQL; name a Redis')
  const host = stores.has('postgres') ? await openPostgres(chosen, wish, directory) : null
  const environment = await besides(host, () => openRest(chosen, wish, directory, stores))
  const whole = host === null ? withoutPostgres(environment) : withPostgres(environment, host)
  return { ...whole, wish: optionsFor(chosen, wish) }
}

/** What was opened first is closed where the rest cannot be. */
async function besides<T>(host: PostgresHost | null, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    await host?.close()
    throw error
  }
}

/** @throws LiveProblem */
function openPostgres(chosen: string, wish: EnvironmentOptions, directory: RunDirectory): Promise<PostgresHost> {
  if (isPostgresUrl(chosen)) return openNamedPostgres(chosen)
  if (chosen === 'local') return openLocalPostgres(directory, wish.postgresPrograms)
  throw new LiveProblem(
    `--with ${withoutPassword(chosen)}`,
    'it has no PostgreSQL; choose local, or name an empty database: postgres://user:password@host/database',
  )
}

async function openRest(
  chosen: string,
  wish: EnvironmentOptions,
  directory: RunDirectory,
  stores: ReadonlySet<StoreKind>,
): Promise<LiveEnvironment> {
  if (stores.has('redis')) return openOne(isPostgresUrl(chosen) ? 'local' : chosen, wish, directory)
  return withoutRedis(withoutPassword(chosen), await openProxy(wish.proxy ?? null, directory))
}

function optionsFor(chosen: string, wish: EnvironmentOptions): string {
  const { proxy, redisBinary, postgresPrograms, redisImage, toxiproxyImage, allowDestructive } = wish
  const docker = chosen === 'docker'
  return [
    // Results are for others, too: a password is not told.
    `--with ${withoutPassword(chosen)}`,
    ...(proxy === undefined ? [] : [`--proxy ${proxy}`]),
    ...(chosen === 'local' && redisBinary !== 'redis-server' ? [`--redis-binary ${redisBinary}`] : []),
    ...(postgresPrograms !== debianPrograms ? [`--postgres-programs ${postgresPrograms}`] : []),
    ...(docker && redisImage !== images.redis ? [`--redis-image ${redisImage}`] : []),
    ...(docker && proxy !== 'builtin' && toxiproxyImage !== images.toxiproxy
      ? [`--toxiproxy-image ${toxiproxyImage}`]
      : []),
    ...(allowDestructive ? ['--allow-destructive'] : []),
  ].join(' ')
}

async function bestPresent({ redisBinary }: EnvironmentOptions): Promise<string> {
  if ((await serverProgram(redisBinary)) !== null) return 'local'
  if (await hasEngine()) return 'docker'
  throw new LiveProblem('live', 'there is neither a redis-server nor a container engine; install one of them')
}

async function openOne(name: string, wish: EnvironmentOptions, directory: RunDirectory): Promise<LiveEnvironment> {
  if (name === 'docker') {
    const builtin = await openProxy('builtin', directory)
    return openDocker(directory, { ...wish, contained: wish.proxy !== 'builtin' }, builtin)
  }
  const proxy = await openProxy(name === 'compose' ? 'builtin' : (wish.proxy ?? null), directory)
  try {
    if (name === 'local') return await openLocal(directory, proxy, wish.redisBinary)
    if (name === 'compose') return await openCompose(proxy)
    return await openNamed({ url: name, allowDestructive: wish.allowDestructive ?? false }, proxy)
  } catch (error) {
    await proxy.close()
    throw error
  }
}
