/** Opens the environment of live runs that the user's options request. */

import { findPostgres, usualPrograms } from 'test-servers'
import type { StoreKind } from '../../contract/api/store.ts'
import type { PostgresHost } from '../postgres/postgres-machine.ts'
import { withoutPostgres, withoutRedis, withPostgres } from '../postgres/with-postgres.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import { LoopbackProxy } from '../proxy/loopback-proxy.ts'
import { openProxy } from '../proxy/open-proxy.ts'
import { openCompose, openComposeProxy } from '../servers/compose.ts'
import { openComposePostgres } from '../servers/compose-postgres.ts'
import { type DockerWish, hasEngine, openDocker } from '../servers/docker.ts'
import { images } from '../servers/images.ts'
import { openLocal, serverProgram } from '../servers/local.ts'
import { openLocalPostgres } from '../servers/local-postgres.ts'
import { openNamed } from '../servers/named.ts'
import { isPostgresUrl, openNamedPostgres } from '../servers/named-postgres.ts'
import { withoutPassword } from '../servers/server-url.ts'
import type { LiveEnvironment } from './environment.ts'
import { LiveProblem } from './problem.ts'
import type { RunDirectory } from './run-directory.ts'

export interface EnvironmentOptions extends Omit<DockerWish, 'contained'> {
  /** `local`, `docker`, `compose` or URLs; absent for the best available. */
  readonly with?: string
  /** `builtin`, `toxiproxy` or the URL of one; absent for the best available. */
  readonly proxy?: string
  readonly redisBinary: string
  /** The folder of PostgreSQL's programs. */
  readonly postgresPrograms: string
  readonly allowDestructive?: boolean
  /** True if runs follow a schedule, so that each has its servers to itself. */
  readonly bySchedule?: boolean
}

export interface OpenEnvironment extends LiveEnvironment {
  /** The options that open the same environment again. */
  readonly wish: string
}

/**
 * Opens the environment. `stores`: all stores that some layer requests.
 * @throws LiveProblem
 */
export async function openEnvironment(
  wish: EnvironmentOptions,
  directory: RunDirectory,
  stores: ReadonlySet<StoreKind>,
): Promise<OpenEnvironment> {
  // Users install `pg` themselves. If it is missing, this throws before anything is started.
  if (stores.has('postgres')) await import('pg')
  const chosen = wish.with ?? (await bestPresent(wish, stores))
  if (isPostgresUrl(chosen) && !stores.has('postgres'))
    throw new LiveProblem(`--with ${withoutPassword(chosen)}`, 'no layer uses PostgreSQL; give a Redis')
  const { environment, postgres } =
    chosen === 'docker'
      ? await openDocker(directory, { ...wish, contained: wish.proxy !== 'builtin' }, new LoopbackProxy(), stores)
      : await openEach(chosen, wish, directory, stores)
  const whole = postgres === null ? withoutPostgres(environment) : withPostgres(environment, postgres)
  return { ...whole, wish: optionsFor(chosen, wish) }
}

/** Opens one part after the other. If a later part fails, the earlier ones are closed. */
async function openEach(
  chosen: string,
  wish: EnvironmentOptions,
  directory: RunDirectory,
  stores: ReadonlySet<StoreKind>,
): Promise<{ readonly environment: LiveEnvironment; readonly postgres: PostgresHost | null }> {
  const postgres = stores.has('postgres') ? await openPostgres(chosen, wish, directory) : null
  try {
    return { environment: await openRest(chosen, wish, directory, stores), postgres }
  } catch (error) {
    await postgres?.close()
    throw error
  }
}

/**
 * Opens the host of PostgreSQL servers.
 * @throws LiveProblem
 */
function openPostgres(chosen: string, wish: EnvironmentOptions, directory: RunDirectory): Promise<PostgresHost> {
  if (isPostgresUrl(chosen)) return openNamedPostgres(chosen)
  if (chosen === 'local') return openLocalPostgres(directory, wish.postgresPrograms)
  if (chosen === 'compose') return openComposePostgres()
  throw new LiveProblem(
    `--with ${withoutPassword(chosen)}`,
    'it has no PostgreSQL; choose local, docker, compose or an empty database (postgres://user:password@host/database)',
  )
}

async function openRest(
  chosen: string,
  wish: EnvironmentOptions,
  directory: RunDirectory,
  stores: ReadonlySet<StoreKind>,
): Promise<LiveEnvironment> {
  const ofCompose = chosen === 'compose' && wish.proxy === undefined
  const proxy = ofCompose ? await openComposeProxy() : await openProxy(wish.proxy ?? null, directory)
  if (!stores.has('redis')) return withoutRedis(withoutPassword(chosen), proxy)
  try {
    return await openOne(isPostgresUrl(chosen) ? 'local' : chosen, wish, directory, proxy)
  } catch (error) {
    await proxy.close()
    throw error
  }
}

function optionsFor(chosen: string, wish: EnvironmentOptions): string {
  const { proxy, redisBinary, postgresPrograms, redisImage, postgresImage, toxiproxyImage, allowDestructive } = wish
  const docker = chosen === 'docker'
  return [
    // The password is removed, because results may be shared.
    `--with ${withoutPassword(chosen)}`,
    ...(proxy === undefined ? [] : [`--proxy ${proxy}`]),
    ...(chosen === 'local' && redisBinary !== 'redis-server' ? [`--redis-binary ${redisBinary}`] : []),
    ...(postgresPrograms !== usualPrograms() ? [`--postgres-programs ${postgresPrograms}`] : []),
    ...(docker && redisImage !== images.redis ? [`--redis-image ${redisImage}`] : []),
    ...(docker && postgresImage !== images.postgres ? [`--postgres-image ${postgresImage}`] : []),
    ...(docker && proxy !== 'builtin' && toxiproxyImage !== images.toxiproxy
      ? [`--toxiproxy-image ${toxiproxyImage}`]
      : []),
    ...(allowDestructive ? ['--allow-destructive'] : []),
  ].join(' ')
}

async function bestPresent(
  { redisBinary, postgresPrograms }: EnvironmentOptions,
  stores: ReadonlySet<StoreKind>,
): Promise<string> {
  const redis = !stores.has('redis') || (await serverProgram(redisBinary)) !== null
  const postgres = !stores.has('postgres') || findPostgres(postgresPrograms) !== undefined
  if (redis && postgres) return 'local'
  if (await hasEngine()) return 'docker'
  const missing = [...(redis ? [] : ['a redis-server']), ...(postgres ? [] : [`PostgreSQL in ${postgresPrograms}`])]
  throw new LiveProblem(
    'live',
    `no ${missing.join(' and ')}, and no container engine with the package testcontainers; install one of them`,
  )
}

function openOne(
  name: string,
  wish: EnvironmentOptions,
  directory: RunDirectory,
  proxy: LinkProxy,
): Promise<LiveEnvironment> {
  if (name === 'local') return openLocal(directory, proxy, wish.redisBinary)
  if (name === 'compose') return openCompose(proxy, wish.bySchedule ?? false)
  return openNamed({ url: name, allowDestructive: wish.allowDestructive ?? false }, proxy)
}
