/**
 * SLOWLOG and LATENCY of a server whose commands take no time. Source: slowlog.c and latency.c of
 * Redis 7.0.
 */

import type { Answer, Handlers } from '../command.ts'
import { subcommandSyntax } from '../errors.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { ErrorReply, MapReply, OK, type Reply, VerbatimReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'

const badCount = new ErrorReply('ERR count should be greater than or equal to -1')

function get({ server }: Session, args: readonly string[]): Answer {
  if (args.length > 3) return subcommandSyntax(args)
  const count = args[2] === undefined ? 10 : parseInt64(args[2])
  if (count === undefined || count < -1) return badCount
  return server.slowLog.latest(count === -1 ? server.slowLog.length : Number(count))
}

/** Histograms of all commands, or of the named ones and their subcommands. */
function histogram({ server }: Session, args: readonly string[]): Answer {
  const names = args.slice(2).map((name) => name.toLowerCase())
  const called = server.commandCounts.called()
  const chosen =
    names.length === 0
      ? called
      : names.flatMap((name) => called.filter(([full]) => full === name || full.startsWith(`${name}|`)))
  // All calls are in the smallest bucket, because simulated commands take no time.
  const one = (calls: number): Reply => new MapReply(['calls', calls, 'histogram_usec', new MapReply([1, calls])])
  return new MapReply(chosen.flatMap(([name, calls]) => [name, one(calls)]))
}

const disabled =
  "I'm sorry, Dave, I can't do that. Latency monitoring is disabled in this Redis instance. You may use \"CONFIG SET latency-monitor-threshold <milliseconds>.\" in order to enable it. If we weren't in a deep space mission I'd suggest to take a look at https://redis.io/topics/latency-monitor.\n"
const nothingSeen =
  'Dave, no latency spike was observed during the lifetime of this Redis instance, not in the slightest bit. I honestly think you ought to sit down calmly, take a stress pill, and think things over.\n'

function doctor({ server }: Session): Answer {
  const threshold = server.inertParameters.get('latency-monitor-threshold') ?? '0'
  return new VerbatimReply('txt', threshold === '0' ? disabled : nothingSeen)
}

export const latencyHandlers: Handlers = {
  'slowlog|get': get,
  'slowlog|len': ({ server }) => server.slowLog.length,
  'slowlog|reset': ({ server }) => {
    server.slowLog.reset()
    return OK
  },
  'latency|histogram': histogram,
  'latency|history': () => [],
  'latency|latest': () => [],
  'latency|reset': () => 0,
  'latency|doctor': doctor,
}
