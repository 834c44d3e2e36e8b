import { expect, it } from 'vitest'
import type { RedisPlan } from '../../../src/contract/api/plan.ts'
import { redisMade, redisOtherwise } from '../../../src/live/stores/redis-made.ts'
import { calm } from '../lab.ts'

const redis: RedisPlan = {
  shards: 2,
  replicas: 3,
  sentinels: 0,
  downAfterMs: 3000,
  failoverTimeoutMs: 0,
  keeps: 'nothing',
  minReplicasToWrite: 1,
  waitFor: 1,
  fullSyncMs: 0,
  loadingMs: 0,
}

const otherwise = (more: Partial<RedisPlan>) =>
  redisOtherwise({ ...calm, redis: { ...redis, ...more } }, 0.2).map(({ fault, why }) => `${fault} (${why})`)

it('a Cluster is started as planned, with times scaled for the machine', () => {
  expect(redisMade(redis, 0.2)).toEqual({ ...redis, downAfterMs: 600 })
  expect(otherwise({})).toEqual([])
})

it('differences from the plan are listed: a time-out too short for a busy machine, and disks', () => {
  expect(redisMade({ ...redis, downAfterMs: 1000 }, 0.2).downAfterMs).toBe(400)
  expect(otherwise({ downAfterMs: 1000, keeps: 'aof-always', fullSyncMs: 500, loadingMs: 100 })).toEqual([
    'redis.downAfterMs: 200 (live servers have 400)',
    'redis.keeps: aof-always (live servers have nothing)',
    'redis.fullSyncMs: 100 (live servers have 0)',
    'redis.loadingMs: 20 (live servers have 0)',
  ])
})
