import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Sentinel } from '../../src/sentinel/sentinel.ts'
import { openDeployment, type TcpDeployment } from './tcp-deployment.ts'

async function opened(password = ''): Promise<TcpDeployment> {
  const deployment = await openDeployment(password)
  onTestFinished(() => deployment.stop())
  return deployment
}

function client(deployment: TcpDeployment, options: object = {}): Redis {
  const sentinels = deployment.sentinels.map(({ port }) => ({ host: '127.0.0.1', port }))
  const redis = new Redis({ sentinels, name: 'mymaster', retryStrategy: () => 50, ...options })
  redis.on('error', () => {})
  onTestFinished(() => redis.disconnect())
  return redis
}

/** Waits until the condition is true. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

const portOf = (redis: Redis) => (redis as unknown as { stream: { remotePort: number } }).stream.remotePort

/** Waits until the Sentinels know each other and both replicas, and the replicas are in sync. */
async function calm({ sentinels }: TcpDeployment): Promise<void> {
  await until(() =>
    sentinels.every(({ server }) => {
      const primary = (server as Sentinel).primaries.get('mymaster')!
      return primary.sentinels.size === 2 && primary.replicas.size === 2
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
}

describe('unmodified ioredis in Sentinel mode', () => {
  it('finds the primary, and follows a failover', async () => {
    const deployment = await opened()
    // The option failoverDetector is not set: if a +switch-master arrives while ioredis 6 queries
    // the Sentinels, the client ends and never reconnects.
    const redis = client(deployment)
    expect(await redis.set('key', 'before')).toBe('OK')
    expect(portOf(redis)).toBe(deployment.servers[0]!.port)
    await calm(deployment)
    deployment.servers[0]!.die()
    await until(async () => (await redis.set('key', 'after').catch(() => null)) === 'OK')
    expect([deployment.servers[1]!.port, deployment.servers[2]!.port]).toContain(portOf(redis))
    expect(await redis.info('replication')).toContain('role:master')
    expect(deployment.unsupported).toEqual([])
  }, 60_000)

  it('is disconnected by a manual failover, although the old primary is alive, and queries the Sentinels again', async () => {
    const deployment = await opened()
    const redis = client(deployment, { failoverDetector: true })
    await redis.set('key', 'value')
    await calm(deployment)
    const sentinel = new Redis({ port: deployment.sentinels[0]!.port })
    onTestFinished(() => sentinel.disconnect())
    expect(await sentinel.call('SENTINEL', 'FAILOVER', 'mymaster')).toBe('OK')
    await until(() => redis.status === 'ready' && portOf(redis) !== deployment.servers[0]!.port)
    expect(await redis.get('key')).toBe('value')
  }, 60_000)

  it('reads from a replica with the option role: slave', async () => {
    const deployment = await opened()
    await client(deployment).set('key', 'value')
    await calm(deployment)
    const reader = client(deployment, { role: 'slave' })
    await until(async () => (await reader.get('key').catch(() => null)) === 'value')
    expect(portOf(reader)).not.toBe(deployment.servers[0]!.port)
    await expect(reader.set('key', 'other')).rejects.toThrow('READONLY')
  }, 60_000)

  it('sends its password to the Sentinels, and fails with a wrong password', async () => {
    const deployment = await opened('secret')
    const right = client(deployment, { sentinelPassword: 'secret' })
    expect(await right.set('key', 'value')).toBe('OK')
    const wrong = client(deployment, { sentinelPassword: 'wrong', sentinelRetryStrategy: null, retryStrategy: null })
    await expect(wrong.set('key', 'value')).rejects.toThrow()
    // Sentinels with a password still discover each other, because they use their password for each
    // other.
    await calm(deployment)
  }, 60_000)
})
