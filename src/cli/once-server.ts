/** The servers that hold the records of `onceproof/once`, as the options of a command name them. */
import type { PgPool } from '../impl/postgres/pool.ts'
import type { RedisAt } from '../impl/redis-at.ts'
import { UsageError } from './usage-error.ts'

export type RecordsAt =
  | { readonly kind: 'redis'; readonly option: string; readonly redis: RedisAt }
  | {
      readonly kind: 'postgres'
      readonly option: string
      readonly pool: PgPool & { end(): Promise<void>; query: PoolQuery }
    }

type PoolQuery = (text: string) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>

/** `option`: the option without its password, for messages. @throws UsageError */
export async function recordsAt(
  command: string,
  { redis, postgres }: { readonly redis?: string; readonly postgres?: string },
): Promise<RecordsAt> {
  if (redis !== undefined && postgres !== undefined) throw new UsageError('--redis and --postgres', 'give only one')
  if (redis !== undefined) {
    const option = `--redis ${withoutPassword(redis)}`
    return { kind: 'redis', option, redis: readRedis(redis, option) }
  }
  if (postgres === undefined) throw new UsageError(command, 'give --redis redis://host:port or --postgres postgres://…')
  const option = `--postgres ${withoutPassword(postgres)}`
  if (!/^postgres(ql)?:\/\//.test(postgres) || !URL.canParse(postgres))
    throw new UsageError(option, 'give postgres://user@host:port/database')
  const { Pool } = (await import('pg')).default
  const pool = new Pool({ connectionString: postgres, max: 2, connectionTimeoutMillis: 4000 })
  pool.on('error', () => {}) // a statement in progress gets it too
  return { kind: 'postgres', option, pool }
}

const form = 'give redis://host:port, redis-sentinel://host:port,…/name or redis-cluster://host:port,…'

/** As in `createOnce`. A password that is not in the URL is read from $REDISCLI_AUTH. */
function readRedis(text: string, option: string): RedisAt {
  const [, scheme, login = '', places = '', rest = ''] =
    /^(redis|rediss|redis-sentinel|redis-cluster):\/\/(?:([^@/]*)@)?([^/]+)\/?([^/]*)$/.exec(text) ?? []
  const hosts = places.split(',').map((place) => placeIn(place, scheme === 'redis-sentinel' ? 26_379 : 6379))
  if (scheme === undefined || hosts.includes(null)) throw new UsageError(option, form)
  const [user = '', secret] = login.split(':').map(decodeURIComponent)
  const password = secret ?? process.env.REDISCLI_AUTH
  const own = { ...(user === '' ? {} : { username: user }), ...(password === undefined ? {} : { password }) }
  const nodes = hosts as readonly Place[]
  switch (scheme) {
    case 'redis-sentinel':
      if (rest === '') throw new UsageError(option, 'name the primary: redis-sentinel://host:port,…/name')
      return { sentinels: [...nodes], name: rest, ...own }
    case 'redis-cluster':
      if (rest !== '') throw new UsageError(option, 'a Cluster has one database: redis-cluster://host:port,…')
      return { nodes, options: { redisOptions: own } }
    default:
      if (nodes.length > 1 || !/^\d*$/.test(rest)) throw new UsageError(option, form)
      return { ...nodes[0]!, db: Number(rest), ...own, ...(scheme === 'rediss' ? { tls: {} } : {}) }
  }
}

interface Place {
  readonly host: string
  readonly port: number
}

function placeIn(text: string, usualPort: number): Place | null {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  return host === undefined ? null : { host, port: Number(port ?? usualPort) }
}

const withoutPassword = (text: string): string => text.replace(/\/\/[^@/]*@/, '//')
