/**
 * CLIENT TRACKING, CACHING, TRACKINGINFO, GETREDIR. Source: networking.c and tracking.c of Redis
 * 7.0.
 */

import { type Answer, type Handlers, Several } from '../command.ts'
import { cString, syntaxError } from '../errors.ts'
import { compareBytes } from '../keyspace/entry.ts'
import { ErrorReply, MapReply, OK, SetReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import type { TrackingMode } from '../tracking/tracked-client.ts'
import { integer } from './arguments.ts'

interface Options {
  readonly redirect: number
  readonly modes: ReadonlySet<TrackingMode>
  readonly prefixes: readonly string[]
}

function parseOptions({ server }: Session, args: readonly string[]): Options | ErrorReply {
  let redirect = 0
  const modes = new Set<TrackingMode>()
  const prefixes: string[] = []
  for (let at = 3; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    const more = at + 1 < args.length
    if (word === 'redirect' && more) {
      if (redirect !== 0) return new ErrorReply('ERR A client can only redirect to a single other client')
      const id = integer(args[++at]!)
      if (id instanceof ErrorReply) return id
      redirect = Number(id)
      if (!server.connections.has(redirect)) {
        return new ErrorReply('ERR The client ID you want redirect to does not exist')
      }
    } else if (word === 'bcast' || word === 'optin' || word === 'optout' || word === 'noloop') modes.add(word)
    else if (word === 'prefix' && more) prefixes.push(args[++at]!)
    else return syntaxError
  }
  return { redirect, modes, prefixes }
}

/** Error for options that conflict with each other, or with the client's current options. */
function conflict({ tracked }: Session, { modes, prefixes }: Options): ErrorReply | undefined {
  const bcast = modes.has('bcast')
  const switching = (what: string) =>
    new ErrorReply(
      `ERR You can't switch ${what} before disabling tracking for this client, and then re-enabling it with a different mode.`,
    )
  if (!bcast && prefixes.length > 0) return new ErrorReply('ERR PREFIX option requires BCAST mode to be enabled')
  if (tracked !== null && tracked.has('bcast') !== bcast) return switching('BCAST mode on/off')
  if (bcast && (modes.has('optin') || modes.has('optout'))) {
    return new ErrorReply('ERR OPTIN and OPTOUT are not compatible with BCAST')
  }
  if (modes.has('optin') && modes.has('optout')) {
    return new ErrorReply("ERR You can't specify both OPTIN mode and OPTOUT mode")
  }
  if ((modes.has('optin') && tracked?.has('optout')) || (modes.has('optout') && tracked?.has('optin'))) {
    return switching('OPTIN/OPTOUT mode')
  }
  return undefined
}

function overlap(prefix: string, other: string, what: string): ErrorReply | undefined {
  if (!prefix.startsWith(other) && !other.startsWith(prefix)) return undefined
  return new ErrorReply(
    `ERR Prefix '${cString(prefix)}' overlaps with ${what} prefix '${cString(other)}'. Prefixes for a single client must not overlap.`,
  )
}

/**
 * The error if prefixes overlap. `fatal` is false if two of the given prefixes overlap and neither
 * of them is the first one. Real Redis then sends the error, but also enables tracking.
 */
function collision(session: Session, prefixes: readonly string[]): { error: ErrorReply; fatal: boolean } | undefined {
  const existing = [...(session.tracked?.prefixes ?? [])].sort(compareBytes)
  for (const [at, prefix] of prefixes.entries()) {
    for (const other of existing) {
      const error = overlap(prefix, other, 'an existing')
      if (error !== undefined) return { error, fatal: true }
    }
    for (const other of prefixes.slice(at + 1)) {
      const error = overlap(prefix, other, 'another provided')
      if (error !== undefined) return { error, fatal: at === 0 }
    }
  }
  return undefined
}

function tracking(session: Session, args: readonly string[]): Answer {
  const options = parseOptions(session, args)
  if (options instanceof ErrorReply) return options
  const word = args[2]!.toLowerCase()
  if (word === 'off') {
    session.server.tracking.disable(session)
    return OK
  }
  if (word !== 'on') return syntaxError
  const problem = conflict(session, options)
  if (problem !== undefined) return problem
  const collided = options.modes.has('bcast') ? collision(session, options.prefixes) : undefined
  if (collided?.fatal) return collided.error
  session.server.tracking.enable(session, options.redirect, options.modes, options.prefixes)
  return collided === undefined ? OK : new Several([collided.error, OK])
}

function caching({ tracked }: Session, args: readonly string[]): Answer {
  if (tracked === null) {
    return new ErrorReply(
      'ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled',
    )
  }
  const word = args[2]!.toLowerCase()
  if (word !== 'yes' && word !== 'no') return syntaxError
  const mode = word === 'yes' ? 'optin' : 'optout'
  if (!tracked.has(mode)) {
    return new ErrorReply(
      `ERR CLIENT CACHING ${word.toUpperCase()} is only valid when tracking is enabled in ${mode.toUpperCase()} mode.`,
    )
  }
  tracked.caching = true
  return OK
}

function trackinginfo({ tracked }: Session): Answer {
  const flags = [tracked === null ? 'off' : 'on']
  if (tracked?.has('bcast')) flags.push('bcast')
  if (tracked?.has('optin')) flags.push('optin', ...(tracked.caching ? ['caching-yes'] : []))
  if (tracked?.has('optout')) flags.push('optout', ...(tracked.caching ? ['caching-no'] : []))
  if (tracked?.has('noloop')) flags.push('noloop')
  if (tracked?.broken) flags.push('broken_redirect')
  const prefixes = [...(tracked?.prefixes ?? [])].sort(compareBytes)
  return new MapReply(['flags', new SetReply(flags), 'redirect', tracked?.redirect ?? -1, 'prefixes', prefixes])
}

export const clientTrackingHandlers: Handlers = {
  'client|tracking': tracking,
  'client|caching': caching,
  'client|trackinginfo': trackinginfo,
  'client|getredir': ({ tracked }) => tracked?.redirect ?? -1,
}
