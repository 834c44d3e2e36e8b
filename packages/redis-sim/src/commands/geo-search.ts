/** GEOSEARCH, GEORADIUS and related commands. Source: georadiusGeneric of Redis 7.0. */

import type { Answer, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import type { SortedSetEntry } from '../keyspace/entry.ts'
import { parseDouble } from '../numbers/double.ts'
import { cellsAround, distanceWithin, type Position, positionOf, type Shape, scoresOf } from '../numbers/geohash.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typedRead } from './arguments.ts'
import { coordinates, position, printDistance, unit } from './geo.ts'
import { storeSortedSet } from './sorted-sets.ts'

interface Search {
  center: Position | null
  /** Size in the unit that the client gave. `metres` is the length of one unit in meters. */
  size: { readonly radius: number } | { readonly width: number; readonly height: number } | null
  metres: number
  withDistance: boolean
  withHash: boolean
  withCoordinates: boolean
  sort: 'asc' | 'desc' | null
  /** Maximum number of results; 0 returns all. */
  count: number
  any: boolean
  storeKey: string | null
  storeDistances: boolean
}

type Variant = {
  readonly source: number
  /** Index of the first option. */
  readonly options: number
  readonly from: 'coordinates' | 'member' | 'options'
  readonly mayStore: boolean
}

interface Found {
  readonly member: string
  readonly score: number
  readonly place: Position
  readonly far: number
}

function length(text: string, what: string): number | ErrorReply {
  return parseDouble(text) ?? new ErrorReply(`ERR need numeric ${what}`)
}

function setCircle(search: Search, radius: string, unitName: string): ErrorReply | undefined {
  const parsed = length(radius, 'radius')
  if (parsed instanceof ErrorReply) return parsed
  if (parsed < 0) return new ErrorReply('ERR radius cannot be negative')
  const metres = unit(unitName)
  if (metres instanceof ErrorReply) return metres
  Object.assign(search, { size: { radius: parsed }, metres })
  return undefined
}

function setBox(search: Search, widthText: string, heightText: string, unitName: string): ErrorReply | undefined {
  const width = length(widthText, 'width')
  if (width instanceof ErrorReply) return width
  const height = length(heightText, 'height')
  if (height instanceof ErrorReply) return height
  if (height < 0 || width < 0) return new ErrorReply('ERR height or width cannot be negative')
  const metres = unit(unitName)
  if (metres instanceof ErrorReply) return metres
  Object.assign(search, { size: { width, height }, metres })
  return undefined
}

function setMember(search: Search, entry: SortedSetEntry, member: string): ErrorReply | undefined {
  const score = entry.scores.get(member)
  if (score === undefined) return new ErrorReply('ERR could not decode requested zset member')
  search.center = positionOf(score)
  return undefined
}

function setPosition(search: Search, longitude: string, latitude: string): ErrorReply | undefined {
  const place = position(longitude, latitude)
  if (place instanceof ErrorReply) return place
  search.center = place
  return undefined
}

/** Parses the arguments before the options. */
function readBase(search: Search, args: readonly string[], variant: Variant, entry: SortedSetEntry | undefined) {
  if (variant.from === 'coordinates') {
    return setPosition(search, args[2]!, args[3]!) ?? setCircle(search, args[4]!, args[5]!)
  }
  if (variant.from === 'options' || entry === undefined) return undefined
  return setMember(search, entry, args[2]!) ?? setCircle(search, args[3]!, args[4]!)
}

function readOptions(
  search: Search,
  args: readonly string[],
  variant: Variant,
  entry: SortedSetEntry | undefined,
): ErrorReply | undefined {
  const free = variant.from === 'options'
  let from: 'member' | 'position' | null = null
  let by: 'circle' | 'box' | null = null
  for (let at = variant.options; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    const more = args.length - 1 - at
    let problem: ErrorReply | undefined
    if (word === 'withdist') search.withDistance = true
    else if (word === 'withhash') search.withHash = true
    else if (word === 'withcoord') search.withCoordinates = true
    else if (word === 'any') search.any = true
    else if (word === 'asc' || word === 'desc') search.sort = word
    else if (word === 'count' && more >= 1) problem = setCount(search, args[++at]!)
    else if ((word === 'store' || word === 'storedist') && more >= 1 && variant.mayStore && !free) {
      search.storeKey = args[++at]!
      search.storeDistances = word === 'storedist'
    } else if (word === 'storedist' && free && variant.mayStore) search.storeDistances = true
    else if (word === 'frommember' && more >= 1 && free && from !== 'position') {
      from = 'member'
      at++
      if (entry !== undefined) problem = setMember(search, entry, args[at]!)
    } else if (word === 'fromlonlat' && more >= 2 && free && from !== 'member') {
      from = 'position'
      problem = setPosition(search, args[at + 1]!, args[at + 2]!)
      at += 2
    } else if (word === 'byradius' && more >= 2 && free && by !== 'box') {
      by = 'circle'
      problem = setCircle(search, args[at + 1]!, args[at + 2]!)
      at += 2
    } else if (word === 'bybox' && more >= 3 && free && by !== 'circle') {
      by = 'box'
      problem = setBox(search, args[at + 1]!, args[at + 2]!, args[at + 3]!)
      at += 3
    } else problem = syntaxError
    if (problem !== undefined) return problem
  }
  return conflict(search, args[0]!, variant, from !== null, by !== null)
}

function setCount(search: Search, text: string): ErrorReply | undefined {
  const count = integer(text)
  if (count instanceof ErrorReply) return count
  if (count <= 0) return new ErrorReply('ERR COUNT must be > 0')
  search.count = Number(count)
  return undefined
}

function conflict(search: Search, name: string, variant: Variant, from: boolean, by: boolean): ErrorReply | undefined {
  const free = variant.from === 'options'
  if (search.storeKey !== null && (search.withDistance || search.withHash || search.withCoordinates)) {
    const what = free ? 'GEOSEARCHSTORE' : 'STORE option in GEORADIUS'
    return new ErrorReply(`ERR ${what} is not compatible with WITHDIST, WITHHASH and WITHCOORD options`)
  }
  if (free && !from) {
    return new ErrorReply(`ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ${name}`)
  }
  if (free && !by) return new ErrorReply(`ERR exactly one of BYRADIUS and BYBOX can be specified for ${name}`)
  if (search.any && search.count === 0) return new ErrorReply('ERR the ANY argument requires COUNT argument')
  return undefined
}

function shapeOf({ center, size, metres }: Search): Shape {
  return 'radius' in size!
    ? { kind: 'circle', center: center!, radius: size.radius * metres }
    : { kind: 'box', center: center!, width: size!.width * metres, height: size!.height * metres }
}

/** Index of the first member with at least this score. */
function firstFrom(entry: SortedSetEntry, score: number): number {
  const members = entry.ordered()
  let [low, high] = [0, members.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (entry.scores.get(members[middle]!)! < score) low = middle + 1
    else high = middle
  }
  return low
}

/** Finds members in the order of Redis's search; then sorts and limits them as requested. */
function find(entry: SortedSetEntry, search: Search): Found[] {
  const shape = shapeOf(search)
  const limit = search.any ? search.count : Number.POSITIVE_INFINITY
  const found: Found[] = []
  for (const { min, max } of cellsAround(shape).map(scoresOf)) {
    if (found.length >= limit) break
    const members = entry.ordered()
    for (let at = firstFrom(entry, min); at < members.length; at++) {
      const member = members[at]!
      const score = entry.scores.get(member)!
      if (score >= max) break
      const place = positionOf(score)
      const far = distanceWithin(shape, place)
      if (far !== undefined) found.push({ member, score, place, far })
      if (found.length >= limit) break
    }
  }
  const sort = search.sort ?? (search.count > 0 && !search.any ? 'asc' : null)
  if (sort !== null) found.sort((a, b) => (sort === 'asc' ? a.far - b.far : b.far - a.far))
  return search.count === 0 ? found : found.slice(0, search.count)
}

function show({ member, score, place, far }: Found, search: Search): Reply {
  const details: Reply[] = []
  if (search.withDistance) details.push(printDistance(far / search.metres))
  if (search.withHash) details.push(Math.trunc(score))
  if (search.withCoordinates) details.push(coordinates(place))
  return details.length === 0 ? member : [member, ...details]
}

function searching(variant: Variant) {
  return (session: Session, args: readonly string[]): Answer => {
    const entry = typedRead(session, args[variant.source]!, 'zset')
    if (entry instanceof ErrorReply) return entry
    const storing = variant.from === 'options' && variant.mayStore
    const search: Search = {
      center: null,
      size: null,
      metres: 1,
      withDistance: false,
      withHash: false,
      withCoordinates: false,
      sort: null,
      count: 0,
      any: false,
      storeKey: storing ? args[1]! : null,
      storeDistances: false,
    }
    const problem = readBase(search, args, variant, entry) ?? readOptions(search, args, variant, entry)
    if (problem !== undefined) return problem
    const found = entry === undefined ? [] : find(entry, search)
    if (search.storeKey === null) return found.map((one) => show(one, search))
    const pairs = found.map(({ member, score, far }): [string, number] => [
      member,
      search.storeDistances ? far / search.metres : score,
    ])
    return storeSortedSet(session, search.storeKey, pairs, storing ? 'geosearchstore' : 'georadiusstore')
  }
}

export const geoSearchHandlers: Handlers = {
  georadius: searching({ source: 1, options: 6, from: 'coordinates', mayStore: true }),
  georadius_ro: searching({ source: 1, options: 6, from: 'coordinates', mayStore: false }),
  georadiusbymember: searching({ source: 1, options: 5, from: 'member', mayStore: true }),
  georadiusbymember_ro: searching({ source: 1, options: 5, from: 'member', mayStore: false }),
  geosearch: searching({ source: 1, options: 2, from: 'options', mayStore: false }),
  geosearchstore: searching({ source: 2, options: 3, from: 'options', mayStore: true }),
}
