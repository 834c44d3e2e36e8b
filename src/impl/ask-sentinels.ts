/** Asks every Sentinel how many replicas there are. Their views differ, and any of them may lead the next failover. */
import { Redis, type RedisOptions } from 'ioredis'
import { bySentinel, type KnownReplicas, mustAcknowledge } from './known-replicas.ts'

/** The largest count of all that answer within `withinMs`; rejects where none does. */
export async function askSentinels(options: RedisOptions, withinMs: number): Promise<KnownReplicas> {
  const answers = await Promise.allSettled((options.sentinels ?? []).map((at) => askOne(at, options, withinMs)))
  const known = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const largest = known.sort((a, b) => mustAcknowledge(b) - mustAcknowledge(a))[0]
  if (largest === undefined) throw new Error('no Sentinel says how many replicas there are')
  return largest
}

type Address = NonNullable<RedisOptions['sentinels']>[number]

async function askOne(at: Partial<Address>, options: RedisOptions, withinMs: number): Promise<KnownReplicas> {
  const { name = '', sentinelUsername, sentinelPassword, sentinelTLS, family } = options
  const client = new Redis({
    host: at.host ?? 'localhost',
    port: at.port ?? 26379,
    ...(sentinelUsername === undefined ? {} : { username: sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
    ...(sentinelTLS === undefined ? {} : { tls: sentinelTLS }),
    ...(family === undefined ? {} : { family }),
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: withinMs,
    commandTimeout: withinMs,
  })
  client.on('error', () => {}) // it becomes the reason of the command that fails
  try {
    const [master, replicas] = await Promise.all([
      client.call('SENTINEL', 'MASTER', name),
      client.call('SENTINEL', 'REPLICAS', name),
    ])
    return bySentinel(name, master as string[], replicas as string[][])
  } finally {
    client.disconnect()
  }
}
