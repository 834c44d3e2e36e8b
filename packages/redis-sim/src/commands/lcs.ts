/** LCS: the longest common subsequence of two strings. Source: t_string.c of Redis 7.0. */

import type { Answer, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import { ErrorReply, MapReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'

/**
 * Maximum number of cells in the table, a limit of the simulation. A table of this size takes 256
 * MB.
 */
const cellLimit = 64 * 1024 * 1024

interface Match {
  readonly a: readonly [number, number]
  readonly b: readonly [number, number]
}

interface Options {
  length: boolean
  indexes: boolean
  leastLength: number
  withLength: boolean
}

function lcs(session: Session, args: readonly string[]): Answer {
  const [first, second] = [session.database.read(args[1]!), session.database.read(args[2]!)]
  if ((first !== undefined && first.type !== 'string') || (second !== undefined && second.type !== 'string')) {
    return new ErrorReply('ERR The specified keys must contain string values')
  }
  const options = parse(args)
  if (options instanceof ErrorReply) return options
  const [a, b] = [first?.text ?? '', second?.text ?? '']
  const cells = (a.length + 1) * (b.length + 1)
  if (cells * 4 > session.server.config.protoMaxBulkLen || cells > cellLimit) {
    if (cells <= session.server.config.protoMaxBulkLen / 4)
      session.server.environment.unsupported('LCS of long strings')
    return new ErrorReply('ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len')
  }
  const table = fill(a, b)
  const total = table[cells - 1]!
  if (options.length && !options.indexes) return total
  const { text, matches } = walk(a, b, table)
  return options.indexes ? new MapReply(['matches', showMatches(matches, options), 'len', total]) : text
}

function parse(args: readonly string[]): Options | ErrorReply {
  const options: Options = { length: false, indexes: false, leastLength: 0, withLength: false }
  for (let at = 3; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (word === 'idx') options.indexes = true
    else if (word === 'len') options.length = true
    else if (word === 'withmatchlen') options.withLength = true
    else if (word === 'minmatchlen' && at + 1 < args.length) {
      const least = integer(args[++at]!)
      if (least instanceof ErrorReply) return least
      options.leastLength = Math.max(0, Number(least))
    } else return syntaxError
  }
  return options.length && options.indexes
    ? new ErrorReply('ERR If you want both the length and indexes, please just use IDX.')
    : options
}

/**
 * Cell [i, j] holds the length of the longest common subsequence of the first i bytes of `a` and
 * the first j bytes of `b`.
 */
function fill(a: string, b: string): Uint32Array {
  const width = b.length + 1
  const table = new Uint32Array((a.length + 1) * width)
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const at = i * width + j
      table[at] = a[i - 1] === b[j - 1] ? table[at - width - 1]! + 1 : Math.max(table[at - width]!, table[at - 1]!)
    }
  }
  return table
}

/** Walks back from the end, with Redis's choice among sequences of equal length. */
function walk(a: string, b: string, table: Uint32Array): { text: string; matches: Match[] } {
  const width = b.length + 1
  const matches: Match[] = []
  const bytes: string[] = []
  let open: Match | null = null
  let [i, j] = [a.length, b.length]
  while (i > 0 && j > 0) {
    let ends = false
    if (a[i - 1] === b[j - 1]) {
      bytes.push(a[i - 1]!)
      if (open === null) open = { a: [i - 1, i - 1], b: [j - 1, j - 1] }
      else if (open.a[0] === i && open.b[0] === j) open = { a: [i - 1, open.a[1]], b: [j - 1, open.b[1]] }
      else ends = true
      if (open.a[0] === 0 || open.b[0] === 0) ends = true
      i--
      j--
    } else {
      if (table[(i - 1) * width + j]! > table[i * width + j - 1]!) i--
      else j--
      ends = open !== null
    }
    if (ends) {
      matches.push(open!)
      open = null
    }
  }
  return { text: bytes.reverse().join(''), matches }
}

function showMatches(matches: readonly Match[], { leastLength, withLength }: Options): Reply {
  return matches
    .map(({ a, b }) => ({ a, b, length: a[1] - a[0] + 1 }))
    .filter(({ length }) => length >= leastLength)
    .map(({ a, b, length }) => (withLength ? [a, b, length] : [a, b]))
}

export const lcsHandlers: Handlers = { lcs }
