/**
 * Finds the records that a failover lost: records of the old primary that the new one lacks or has
 * with another value.
 */
import { Redis } from 'ioredis'
import type { LiveRecorder } from '../host/recorder.ts'
import type { SentinelDeployment, SentinelServer } from '../servers/sentinel-deployment.ts'
import { contentOf } from './record-content.ts'

/** Reads the records of servers and reports those that a failover lost. */
export interface Records {
  of(server: SentinelServer): Promise<ReadonlyMap<string, string>>
  reportLost: typeof reportLostRecords
}

/** Reports the lost records. All of them were acknowledged, because the clients are done. */
async function reportLostRecords(
  sentinels: Pick<SentinelDeployment, 'primary'>,
  recorder: LiveRecorder,
  {
    before,
    old,
    cause,
  }: { before: ReadonlyMap<string, string>; old: SentinelServer; cause: 'failover' | 'split-brain' },
): Promise<void> {
  const primary = await sentinels.primary()
  if (primary === old) return
  const after = await recordsOf(primary)
  const redisKeys = [...before].flatMap(([key, value]) => (after.get(key) === value ? [] : [key]))
  if (redisKeys.length > 0)
    recorder.fact({ type: 'data-lost', node: primary.name, cause, redisKeys, acknowledged: true })
}

/** The keys of a server with their values, without the harness's key. */
async function recordsOf({ machine }: SentinelServer): Promise<Map<string, string>> {
  const client = new Redis({ host: machine.host, port: machine.port, maxRetriesPerRequest: 1 })
  client.on('error', () => {})
  try {
    const keys = (await client.keys('*')).filter((key) => key !== 'onceproof-probe')
    const contents = await Promise.all(keys.map((key) => contentOf(client, key)))
    return new Map(keys.map((key, at) => [key, contents[at] ?? '']))
  } finally {
    client.disconnect()
  }
}

export const records: Records = { of: recordsOf, reportLost: reportLostRecords }
