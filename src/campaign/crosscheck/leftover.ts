/** Checks after a sample that the real server and the model have the same keys and values. */

import type { Database } from 'redis-sim'
import { compareReplies, quote } from 'redis-sim/compare'
import type { Model } from '../model/model.ts'
import type { RealClient } from '../types.ts'
import { ask } from './real-redis.ts'
import type { CrosscheckDifference } from './replayed.ts'

const readers = {
  string: (key: string) => ['GET', key],
  hash: (key: string) => ['HGETALL', key],
  list: (key: string) => ['LRANGE', key, '0', '-1'],
  set: (key: string) => ['SMEMBERS', key],
  zset: (key: string) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  // Only the length is read, because ids of entries contain times. Samples end before a stream is
  // written.
  stream: (key: string) => ['XLEN', key],
}

/** A client number that no run uses. */
const inspector = -1

export async function leftover(model: Model, control: RealClient): Promise<CrosscheckDifference | null> {
  model.server.dropExpired()
  model.connect(inspector)
  const names = await serverNames(control)
  for (const args of inspection(model)) {
    const response = model.execute(inspector, args)
    if ('none' in response) return null
    const [received] = await ask(control, [args])
    // The server's ids are replaced, because a script may have stored them.
    const { replicationId, runId } = model.server
    const real = received!.replaceAll(names.replication, replicationId).replaceAll(names.run, runId)
    if (isSame(args, real, response.reply, model.database(inspector))) continue
    return { command: `${args.map(quote).join(' ')} after the run`, real, model: response.reply }
  }
  return null
}

/** The first database is inspected even if it is empty in the model. */
function inspection({ server: { keyspace } }: Model): string[][] {
  const databases = new Set([keyspace.select(0)!, ...keyspace.used()])
  return [...databases].flatMap(({ index, entries }) => [
    ['SELECT', String(index)],
    ['DBSIZE'],
    ...[...entries].flatMap(([key, entry]) => [['TYPE', key], readers[entry.type](key), ['PTTL', key]]),
  ])
}

/**
 * Lifetimes were compared when a command set them, and `Lifetimes` has renewed them since. So only
 * the existence of a lifetime is compared here.
 */
function isSame(args: readonly string[], real: string, model: string, database: Database): boolean {
  // The sizes must be equal: expired keys were deleted from both servers, so none remains on the
  // real server only.
  if (args[0] === 'DBSIZE') return real === model
  if (args[0] === 'PTTL') return (real === forEver) === (model === forEver)
  return compareReplies(args, real, model, [], database) !== 'different'
}

const forEver = ':-1\r\n'

async function serverNames(control: RealClient): Promise<{ replication: string; run: string }> {
  const [text] = await ask(control, [['INFO', 'everything']])
  const field = (name: string) => new RegExp(`^${name}:([0-9a-f]{40})\r$`, 'm').exec(text!)?.[1] ?? 'none'
  return { replication: field('master_replid'), run: field('run_id') }
}
