/** Positions stored in a sorted set. Searching is in geo-search.ts. Source: geo.c of Redis 7.0. */

import type { Answer, Handlers } from '../command.ts'
import { notFloat, syntaxError } from '../errors.ts'
import { parseDouble } from '../numbers/double.ts'
import { bitsOf, cellOf, distance, isPosition, type Position, positionOf, scoreOf } from '../numbers/geohash.ts'
import { formatLongDouble, fromDouble } from '../numbers/long-double.ts'
import { DoubleReply, ErrorReply, nullArray, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { typedRead } from './arguments.ts'
import { sortedSetHandlers } from './sorted-sets.ts'

/** Meters per unit. */
export function unit(text: string): number | ErrorReply {
  const known: Record<string, number> = { m: 1, km: 1000, ft: 0.3048, mi: 1609.34 }
  return known[text.toLowerCase()] ?? new ErrorReply('ERR unsupported unit provided. please use M, KM, FT, MI')
}

export function position(longitude: string, latitude: string): Position | ErrorReply {
  const [x, y] = [parseDouble(longitude), parseDouble(latitude)]
  if (x === undefined || y === undefined) return notFloat
  if (isPosition([x, y])) return [x, y]
  return new ErrorReply(`ERR invalid longitude,latitude pair ${sixPlaces(x)},${sixPlaces(y)}`)
}

/** Like C's `%f`. */
function sixPlaces(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf'
  if (Object.is(value, -0)) return '-0.000000'
  return Math.abs(value) < 1e21 ? value.toFixed(6) : `${BigInt(value)}.000000`
}

export function coordinates([longitude, latitude]: Position): Reply {
  const one = (value: number) => new DoubleReply(value, formatLongDouble(fromDouble(value)))
  return [one(longitude), one(latitude)]
}

/** Rounds to four decimal places, ties to even. */
export function printDistance(value: number): string {
  const scaled = value * 10_000
  const floor = Math.floor(scaled)
  const rest = scaled - floor
  const units = BigInt(rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor)
  return `${units / 10_000n}.${(units % 10_000n).toString().padStart(4, '0')}`
}

/** The equivalent ZADD, which is propagated to replicas. */
export function asZadd(args: readonly string[]): string[] | ErrorReply {
  let at = 2
  const options = new Set<string>()
  while (at < args.length && /^(nx|xx|ch)$/i.test(args[at]!)) options.add(args[at++]!.toLowerCase())
  if ((args.length - at) % 3 !== 0 || (options.has('nx') && options.has('xx'))) return syntaxError
  const words = ['zadd', ...args.slice(1, at)]
  for (; at < args.length; at += 3) {
    const place = position(args[at]!, args[at + 1]!)
    if (place instanceof ErrorReply) return place
    words.push(scoreOf(place), args[at + 2]!)
  }
  return words
}

function geoadd(session: Session, args: readonly string[]): Answer {
  const words = asZadd(args)
  return words instanceof ErrorReply ? words : sortedSetHandlers.zadd!(session, words)
}

/** Applies `read` to the position of each member; replies `absent` for missing members. */
function each(absent: Reply, read: (place: Position) => Reply) {
  return (session: Session, args: readonly string[]): Answer => {
    const entry = typedRead(session, args[1]!, 'zset')
    if (entry instanceof ErrorReply) return entry
    return args.slice(2).map((member) => {
      const score = entry?.scores.get(member)
      return score === undefined ? absent : read(positionOf(score))
    })
  }
}

/** A standard geohash of eleven letters. The score has no bits for the last letter. */
function hash(place: Position): string {
  const bits = bitsOf(cellOf(place, 26, { min: -90, max: 90 }))
  let text = ''
  for (let shift = 47n; shift > 0n; shift -= 5n) {
    text += '0123456789bcdefghjkmnpqrstuvwxyz'[Number((bits >> shift) & 31n)]
  }
  return `${text}0`
}

function geodist(session: Session, args: readonly string[]): Answer {
  if (args.length > 5) return syntaxError
  const metres = unit(args[4] ?? 'm')
  if (metres instanceof ErrorReply) return metres
  const entry = typedRead(session, args[1]!, 'zset')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? null
  const [a, b] = [entry.scores.get(args[2]!), entry.scores.get(args[3]!)]
  if (a === undefined || b === undefined) return null
  return printDistance(distance(positionOf(a), positionOf(b)) / metres)
}

export const geoHandlers: Handlers = {
  geoadd,
  geopos: each(nullArray, coordinates),
  geohash: each(null, hash),
  geodist,
}
