/**
 * Finds the keys among the words of a command by its key specifications. Source: db.c of Redis 7.0.
 */
import type { Command } from './command.ts'
import { parseInt64 } from './numbers/int64.ts'

/** The members have the names and the order that COMMAND prints. */
export interface KeySpec {
  readonly note?: string
  readonly flags: readonly string[]
  readonly begin:
    | { readonly type: 'index'; readonly index: number }
    | { readonly type: 'keyword'; readonly keyword: string; readonly startfrom: number }
    | { readonly type: 'unknown' }
  readonly find:
    | { readonly type: 'range'; readonly lastkey: number; readonly keystep: number; readonly limit: number }
    | { readonly type: 'keynum'; readonly keynumidx: number; readonly firstkey: number; readonly keystep: number }
    | { readonly type: 'unknown' }
}

export function hasKeys({ keySpecs }: Command): boolean {
  return keySpecs.some(({ flags }) => !flags.includes('not_key'))
}

/** A key among the words of a command, and how the command uses it. */
export interface KeyReference {
  readonly at: number
  /** `RO`, `RW`, `OW` or `RM` first, then `access`, `update`, `insert`, `delete`, … */
  readonly flags: readonly string[]
}

const reads = ['RO', 'access']
const overwrites = ['OW', 'update']
const changes = ['RW', 'access', 'update']
const moves = ['RW', 'access', 'delete']

/**
 * The keys among the words of a command, including its name as the first word; empty if the words
 * are invalid.
 */
export function keysOf(command: Command, words: readonly string[]): string[] {
  return keyReferences(command, words).map(({ at }) => words[at]!)
}

export function keyReferences(command: Command, words: readonly string[]): KeyReference[] {
  return ownReferences(command.fullName, words) ?? referencesBySpecs(command, words)
}

/**
 * The keys of commands that the specifications cannot describe; real Redis has a function for each
 * of them. Undefined for all other commands.
 */
function ownReferences(fullName: string, words: readonly string[]): KeyReference[] | undefined {
  switch (fullName) {
    case 'sort':
      return [{ at: 1, flags: reads }, ...storedTo(words)]
    case 'sort_ro':
      return [{ at: 1, flags: reads }]
    case 'set':
      return [{ at: 1, flags: words.slice(3).some((word) => /^get$/i.test(word)) ? changes : overwrites }]
    case 'bitfield':
      return [{ at: 1, flags: onlyReads(words) ? reads : changes }]
    case 'migrate':
      return words[3] === '' ? undefined : [{ at: 3, flags: moves }]
    default:
      return undefined
  }
}

function referencesBySpecs(command: Command, words: readonly string[]): KeyReference[] {
  const found: KeyReference[] = []
  for (const spec of command.keySpecs) {
    if (spec.flags.includes('not_key')) continue
    const first = firstWord(spec, words)
    if (first === null) continue
    const range = first === undefined ? undefined : keyRange(spec, first, words)
    if (range === undefined) return []
    const flags = spec.flags.filter((flag) => flag !== 'incomplete')
    for (let at = range.first; at <= range.last; at += range.step) found.push({ at, flags })
  }
  return found
}

/** True if all operations of BITFIELD are GET. */
function onlyReads(words: readonly string[]): boolean {
  for (let at = 2; at < words.length; at++) {
    const word = words[at]!.toLowerCase()
    const more = words.length - at - 1
    if (word === 'get' && more >= 2) at += 2
    else if (word === 'overflow' && more >= 1) at += 1
    else return false
  }
  return true
}

/** SORT … STORE key: the last STORE wins. */
function storedTo(words: readonly string[]): KeyReference[] {
  let to: KeyReference[] = []
  for (let at = 2; at < words.length; at++) {
    const word = words[at]!.toLowerCase()
    if (word === 'limit') at += 2
    else if (word === 'get' || word === 'by') at += 1
    else if (word === 'store' && at + 1 < words.length) to = [{ at: ++at, flags: overwrites }]
  }
  return to
}

/**
 * Index of the first key. Null if the keyword is absent, so that there are no such keys; undefined
 * if the specification does not determine the index.
 */
function firstWord({ begin }: KeySpec, words: readonly string[]): number | null | undefined {
  if (begin.type === 'unknown') return undefined
  if (begin.type === 'index') return begin.index
  const { keyword, startfrom } = begin
  const step = startfrom > 0 ? 1 : -1
  const from = startfrom > 0 ? startfrom : words.length + startfrom
  const until = startfrom > 0 ? words.length - 1 : 1
  for (let at = from; at !== until && at >= 0 && at < words.length; at += step) {
    if (words[at]!.toUpperCase() === keyword) return at + 1
  }
  return null
}

function keyRange(
  { find }: KeySpec,
  begin: number,
  words: readonly string[],
): { first: number; last: number; step: number } | undefined {
  let first = begin
  let last: number
  if (find.type === 'unknown') return undefined
  if (find.type === 'range') {
    const { lastkey, limit } = find
    if (lastkey >= 0) last = first + lastkey
    else last = limit === 0 ? words.length + lastkey : first + Math.trunc((words.length - first) / limit) + lastkey
  } else {
    const count = parseInt64(words[first + find.keynumidx] ?? '')
    if (count === undefined) return undefined
    first += find.firstkey
    last = first + (Number(count) - 1) * find.keystep
  }
  return last >= words.length || last < first || first >= words.length ? undefined : { first, last, step: find.keystep }
}
