/**
 * SCAN, and the shared options of HSCAN, SSCAN and ZSCAN. The cursor of SCAN is the insertion
 * number of the next key, so every key that exists from the first call to the last is returned.
 * HSCAN, SSCAN and ZSCAN return all elements with cursor 0. Real Redis does so for small encodings
 * only, and returns large collections in portions.
 */

import type { Answer, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import { matchesGlob } from '../glob.ts'
import { formatDouble } from '../numbers/double.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typedRead } from './arguments.ts'

interface ScanOptions {
  readonly count: number
  readonly matches: (text: string) => boolean
  readonly type: string | undefined
}

function scan(session: Session, args: readonly string[]): Answer {
  const cursor = parseCursor(args[1]!)
  if (cursor instanceof ErrorReply) return cursor
  const options = parseOptions(args, 2, true)
  if (options instanceof ErrorReply) return options
  const { database } = session
  const found: string[] = []
  let examined = 0
  let next = 0
  for (const [key, entry] of database.entries) {
    if (entry.sequence < cursor) continue
    if (examined++ === options.count) {
      next = entry.sequence
      break
    }
    if (!options.matches(key) || database.peek(key) === undefined) continue
    if (options.type === undefined || options.type === entry.type) found.push(key)
  }
  return [String(next), found]
}

function scanHash(session: Session, args: readonly string[]): Answer {
  const cursor = parseCursor(args[2]!)
  if (cursor instanceof ErrorReply) return cursor
  const entry = typedRead(session, args[1]!, 'hash')
  if (entry instanceof ErrorReply) return entry
  if (entry === undefined) return ['0', []]
  const options = parseOptions(args, 3, false)
  if (options instanceof ErrorReply) return options
  return ['0', [...entry.fields].filter(([field]) => options.matches(field)).flat()]
}

/** Source: parseScanCursorOrReply of Redis 7.0, which parses with strtoul. */
function parseCursor(text: string): number | ErrorReply {
  if (!/^[+-]?\d+$|^$/.test(text)) return new ErrorReply('ERR invalid cursor')
  const value = text === '' ? 0n : BigInt(text.replace(/^\+/, ''))
  const magnitude = value < 0n ? -value : value
  if (magnitude >= 2n ** 64n) return new ErrorReply('ERR invalid cursor')
  return Number(BigInt.asUintN(64, value))
}

export function parseOptions(args: readonly string[], from: number, ofDatabase: boolean): ScanOptions | ErrorReply {
  let count = 10
  let pattern = '*'
  let type: string | undefined
  for (let at = from; at < args.length; at += 2) {
    const word = args[at]!.toLowerCase()
    const value = args[at + 1]
    if (value === undefined) return syntaxError
    if (word === 'count') {
      const parsed = integer(value)
      if (parsed instanceof ErrorReply) return parsed
      if (parsed < 1) return syntaxError
      count = Number(parsed)
    } else if (word === 'match') pattern = value
    else if (word === 'type' && ofDatabase) type = value.toLowerCase()
    else return syntaxError
  }
  return { count, type, matches: pattern === '*' ? () => true : (text) => matchesGlob(pattern, text) }
}

function scanSet(session: Session, args: readonly string[]): Answer {
  const cursor = parseCursor(args[2]!)
  if (cursor instanceof ErrorReply) return cursor
  const entry = typedRead(session, args[1]!, 'set')
  if (entry instanceof ErrorReply) return entry
  if (entry === undefined) return ['0', []]
  const options = parseOptions(args, 3, false)
  if (options instanceof ErrorReply) return options
  return ['0', orderedMembers(entry).filter(options.matches)]
}

function scanSortedSet(session: Session, args: readonly string[]): Answer {
  const cursor = parseCursor(args[2]!)
  if (cursor instanceof ErrorReply) return cursor
  const entry = typedRead(session, args[1]!, 'zset')
  if (entry instanceof ErrorReply) return entry
  if (entry === undefined) return ['0', []]
  const options = parseOptions(args, 3, false)
  if (options instanceof ErrorReply) return options
  const members = entry.ordered().filter(options.matches)
  return ['0', members.flatMap((member) => [member, scannedScore(entry.scores.get(member)!, entry.compact)])]
}

/** A listpack stores whole numbers as 64-bit integers, and a scan prints the stored form. */
function scannedScore(score: number, compact: boolean): string {
  return compact && Number.isInteger(score) && Math.abs(score) < 2 ** 63 ? String(BigInt(score)) : formatDouble(score)
}

/** The members; sorted if the entry is an intset. */
export function orderedMembers(entry: { readonly members: ReadonlySet<string>; readonly integers: boolean }): string[] {
  const members = [...entry.members]
  if (!entry.integers) return members
  return members.sort((a, b) => {
    const [left, right] = [parseInt64(a)!, parseInt64(b)!]
    return left < right ? -1 : left > right ? 1 : 0
  })
}

export const scanHandlers: Handlers = { scan, hscan: scanHash, sscan: scanSet, zscan: scanSortedSet }
