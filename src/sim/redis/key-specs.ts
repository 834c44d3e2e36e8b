/** Which words of a command are its keys, as its key specifications say. Source: db.c of Redis 7.0. */
import type { Command } from './command.ts'
import { findDetails } from './command-details-table.ts'
import { parseInt64 } from './numbers/int64.ts'

/** Members are named, and stand in the order, in which COMMAND prints them. */
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

export function hasKeys({ fullName }: Command): boolean {
  return findDetails(fullName).keySpecs.some(({ flags }) => !flags.includes('not_key'))
}

/** The keys among the words of a command (its name first); none where the words make no sense. */
export function keysOf(command: Command, words: readonly string[]): string[] {
  // Real Redis has functions for these three, whose keys the specifications cannot tell.
  if (command.fullName === 'sort') return [words[1]!, ...storedTo(words)]
  if (command.fullName === 'sort_ro') return [words[1]!]
  if (command.fullName === 'migrate' && words[3] !== '') return [words[3]!]
  const keys: string[] = []
  for (const spec of findDetails(command.fullName).keySpecs) {
    if (spec.flags.includes('not_key')) continue
    const first = firstWord(spec, words)
    if (first === null) continue
    const range = first === undefined ? undefined : keyRange(spec, first, words)
    if (range === undefined) return []
    for (let at = range.first; at <= range.last; at += range.step) keys.push(words[at]!)
  }
  return keys
}

/** SORT … STORE key: the last one counts. */
function storedTo(words: readonly string[]): string[] {
  let to: string[] = []
  for (let at = 2; at < words.length; at++) {
    const word = words[at]!.toLowerCase()
    if (word === 'limit') at += 2
    else if (word === 'get' || word === 'by') at += 1
    else if (word === 'store' && at + 1 < words.length) to = [words[++at]!]
  }
  return to
}

/** Null: the keyword is not there, and so are no keys of this kind. Undefined: nobody can tell. */
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
