/** From what the user wishes to where live runs take place. */

import type { LiveEnvironment } from './environment.ts'
import { LiveProblem } from './problem.ts'
import { openProxy } from './proxy/open-proxy.ts'
import type { RunDirectory } from './run-directory.ts'
import { openCompose } from './servers/compose.ts'
import { type DockerWish, hasEngine, openDocker } from './servers/docker.ts'
import { images } from './servers/images.ts'
import { openLocal, serverProgram } from './servers/local.ts'
import { openNamed, withoutPassword } from './servers/named.ts'

export interface EnvironmentOptions extends Omit<DockerWish, 'contained'> {
  /** `local`, `docker`, `compose` or URLs; absent for the best one present. */
  readonly with?: string
  /** `builtin`, `toxiproxy` or the URL of one; absent for the best one present. */
  readonly proxy?: string
  readonly redisBinary: string
  readonly allowDestructive?: boolean
}

export interface OpenEnvironment extends LiveEnvironment {
  /** The options that have to be given to get the same one again. */
  readonly wish: string
}

/** @throws LiveProblem */
export async function openEnvironment(wish: EnvironmentOptions, directory: RunDirectory): Promise<OpenEnvironment> {
  const chosen = wish.with ?? (await bestPresent(wish))
  const environment = await openOne(chosen, wish, directory)
  return { ...environment, wish: optionsFor(chosen, wish) }
}

function optionsFor(chosen: string, wish: EnvironmentOptions): string {
  const { proxy, redisBinary, redisImage, toxiproxyImage, allowDestructive } = wish
  const docker = chosen === 'docker'
  return [
    // Results are for others, too: a password is not told.
    `--with ${withoutPassword(chosen)}`,
    ...(proxy === undefined ? [] : [`--proxy ${proxy}`]),
    ...(chosen === 'local' && redisBinary !== 'redis-server' ? [`--redis-binary ${redisBinary}`] : []),
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
