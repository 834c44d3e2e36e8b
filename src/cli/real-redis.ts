/**
 * The real Redis of the crosscheck: the server or program that the user names, or the
 * `redis-server` on the PATH if it has the simulated version.
 */
import { execFileSync } from 'node:child_process'
import { findProgram, RealConnection, ServerGone, startRedis } from 'test-servers'
import { ask } from '../campaign/crosscheck/real-redis.ts'
import type { RealRedis, RealRedisOffer } from '../campaign/types.ts'
import { UsageError } from './usage-error.ts'

const install = 'install Redis (Debian: apt-get install redis-server)'
/** The version that is simulated. Other versions rightly reply differently. */
const simulated = /^7\.0\./

/**
 * The timeout for a reply, in milliseconds. All compared commands are answered at once, so a longer
 * silence means that the machine stalls.
 */
const silenceMs = 15_000

/** @throws UsageError if the named Redis is missing */
export async function findRealRedis(asked: string | undefined): Promise<RealRedisOffer> {
  const [, host, port] = /^([^/]+):(\d+)$/.exec(asked ?? '') ?? []
  if (host !== undefined) return running(host, Number(port))
  const program = findProgram(asked ?? 'redis-server')
  if (program === undefined) {
    if (asked !== undefined)
      throw new UsageError(`--redis ${asked}`, `not found; give a program or host:port, or ${install}`)
    return { kind: 'none', reason: `redis-server not found; ${install}` }
  }
  const version = versionOf(program)
  if (asked !== undefined && version === unknownVersion)
    throw new UsageError(
      `--redis ${asked}`,
      `prints no version of Redis; give a redis-server or host:port, or ${install}`,
    )
  if (asked === undefined && !simulated.test(version))
    return { kind: 'none', reason: `redis-server is ${version} but 7.0 is simulated; give one with --redis` }
  return { kind: 'ready', start: () => startAndReach(program) }
}

/**
 * A server that is already running. It is checked before the campaign, so that no run is wasted.
 */
async function running(host: string, port: number): Promise<RealRedisOffer> {
  const reached = () => reach(host, port, async () => {})
  try {
    await reached()
  } catch (error) {
    throw new UsageError(`--redis ${host}:${port}`, `${(error as Error).message}; start it, or give a program`)
  }
  return { kind: 'ready', start: reached }
}

async function startAndReach(program: string): Promise<RealRedis> {
  try {
    const server = await startRedis(program)
    return await reach('127.0.0.1', server.port, () => server.stop())
  } catch (error) {
    throw new ServerGone(`${program} could not be started: ${(error as Error).message.trim()}`)
  }
}

const unknownVersion = 'of unknown version'

function versionOf(program: string): string {
  try {
    const text = execFileSync(program, ['--version'], {
      encoding: 'utf8',
      timeout: 10_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return /v=(\S+)/.exec(text)?.[1] ?? unknownVersion
  } catch {
    return unknownVersion
  }
}

async function reach(host: string, port: number, stop: () => Promise<void>): Promise<RealRedis> {
  const open = async () => {
    try {
      return await RealConnection.open(host, port, silenceMs)
    } catch (error) {
      throw new ServerGone(`${host}:${port} does not answer: ${(error as Error).message}`)
    }
  }
  try {
    const client = await open()
    const [info] = await ask(client, [['INFO', 'server']])
    client.destroy()
    const [, version] = /redis_version:(\S+)/.exec(info ?? '') ?? []
    if (version === undefined) throw new ServerGone(`${host}:${port} does not answer INFO as Redis does`)
    return { version, open, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
