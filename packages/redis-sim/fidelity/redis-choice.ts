import { findProgram, readReply, startRedis } from 'test-servers'
import { RealTarget } from './real-target.ts'

/** The real server of a comparison, or the reason why there is none. */
export type RedisChoice =
  | {
      readonly kind: 'ready'
      /** The program to start servers with; undefined for a server that already runs. */
      readonly program?: string
      readonly target: RealTarget
      readonly version: string
      /** For example `Redis 7.0.15` or `Valkey 8.1.1`. */
      readonly name: string
      /** The server's clock, in microseconds since the epoch. */
      nowUs(): number
      stop(): Promise<void>
    }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'missing'; readonly culprit: string; readonly remedy: string }

const install = 'install Redis (Debian: apt-get install redis-server)'

/**
 * `asked` is a program, or `host:port` of a server whose data may be deleted. The default is
 * `redis-server` from the path.
 */
export async function connectTo(asked: string | undefined): Promise<RedisChoice> {
  const address = /^([^/]+):(\d+)$/.exec(asked ?? '')
  if (address) return ready(asked!, address[1]!, Number(address[2]), async () => {})
  const program = findProgram(asked ?? 'redis-server')
  if (program === undefined) {
    if (asked === undefined) return { kind: 'skipped', reason: `redis-server not found; ${install}` }
    return {
      kind: 'missing',
      culprit: `no redis-server at ${asked}`,
      remedy: `not found; give a program or host:port, or ${install}`,
    }
  }
  const server = await startRedis(program)
  const choice = await ready(program, '127.0.0.1', server.port, () => server.stop())
  return choice.kind === 'ready' ? { ...choice, program } : choice
}

async function ready(culprit: string, host: string, port: number, stop: () => Promise<void>): Promise<RedisChoice> {
  const target = new RealTarget(host, port)
  try {
    const info = await target.ask(['INFO', 'server'])
    const clock = readReply(await target.ask(['TIME']), 0)!
    const offsetUs = Number(clock.items[0]!.text) * 1e6 + Number(clock.items[1]!.text) - Date.now() * 1000
    // A server on this machine has the same clock; a small measured offset is only the round-trip
    // time.
    const usedOffsetUs = Math.abs(offsetUs) < 20_000 ? 0 : Math.floor(offsetUs)
    return {
      kind: 'ready',
      target,
      version: versionOf(info),
      name: nameOf(info),
      nowUs: () => Date.now() * 1000 + usedOffsetUs,
      stop: async () => {
        target.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    const remedy = `${(error as Error).message}; see whether it runs, and try again`
    return { kind: 'missing', culprit: `${culprit} does not answer`, remedy }
  }
}

function versionOf(info: string): string {
  return /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown'
}

/** The name and version of the server. Valkey also reports a version of Redis. */
function nameOf(info: string): string {
  const valkey = /valkey_version:(\S+)/.exec(info)?.[1]
  return valkey === undefined ? `Redis ${versionOf(info)}` : `Valkey ${valkey}`
}
