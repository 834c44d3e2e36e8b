import { describe, expect, it, vi } from 'vitest'
import { recordsAt } from '../../src/cli/once-server.ts'

describe('--redis of `once`', () => {
  it.each([
    ['redis://h', { host: 'h', port: 6379, db: 0 }],
    ['redis://h:7000/3', { host: 'h', port: 7000, db: 3 }],
    ['rediss://:p%40@[::1]:7000', { host: '::1', port: 7000, db: 0, password: 'p@', tls: {} }],
    [
      'redis-sentinel://u:p@h,i:7000/payments',
      {
        sentinels: [
          { host: 'h', port: 26379 },
          { host: 'i', port: 7000 },
        ],
        name: 'payments',
        username: 'u',
        password: 'p',
      },
    ],
    [
      'redis-cluster://h:1,i:2',
      {
        nodes: [
          { host: 'h', port: 1 },
          { host: 'i', port: 2 },
        ],
        options: { redisOptions: {} },
      },
    ],
  ])('reads %s', async (redis, expected) => {
    vi.stubEnv('REDISCLI_AUTH', undefined)
    expect(await recordsAt('once status', { redis })).toEqual({
      kind: 'redis',
      option: `--redis ${redis.replace(/\/\/.*@/, '//')}`,
      redis: expected,
    })
    vi.unstubAllEnvs()
  })

  it('takes a password from the environment that redis-cli uses', async () => {
    vi.stubEnv('REDISCLI_AUTH', 'secret')
    expect(await recordsAt('once status', { redis: 'redis://h' })).toMatchObject({ redis: { password: 'secret' } })
    expect(await recordsAt('once status', { redis: 'redis://:own@h' })).toMatchObject({ redis: { password: 'own' } })
    vi.unstubAllEnvs()
  })
})
