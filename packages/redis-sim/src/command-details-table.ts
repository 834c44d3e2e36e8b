import { commandDetails, keySpecNotes } from './command-details.ts'
import type { KeySpec } from './key-specs.ts'

/** What COMMAND tells of a command beside its arity and flags. */
export interface CommandDetails {
  readonly categories: readonly string[]
  readonly tips: readonly string[]
  readonly keySpecs: readonly KeySpec[]
}

/** Read at the first question: few ask. */
let table: ReadonlyMap<string, CommandDetails> | undefined

/** `fullName` in lower case; every command of the specs is there. */
export function findDetails(fullName: string): CommandDetails {
  return (table ??= readTable()).get(fullName)!
}

function readTable(): ReadonlyMap<string, CommandDetails> {
  return new Map(
    commandDetails
      .trim()
      .split('\n')
      .map((line) => {
        const [fullName, categories, tips, ...specs] = line.split(' ') as [string, string, string, ...string[]]
        return [fullName, { categories: words(categories), tips: words(tips), keySpecs: specs.map(readKeySpec) }]
      }),
  )
}

function words(text: string): readonly string[] {
  return text === '-' ? [] : text.split(',')
}

function readKeySpec(text: string): KeySpec {
  const [flags, begin, find, note] = text.split(/[@/#]/) as [string, string, string, string?]
  const notes = note === undefined ? {} : { note: keySpecNotes[Number(note)]! }
  return { ...notes, flags: flags.split('+'), begin: readBegin(begin), find: readFind(find) }
}

function readBegin(text: string): KeySpec['begin'] {
  const [first, startfrom] = text.slice(1).split(':') as [string, string?]
  if (text[0] === 'i') return { type: 'index', index: Number(first) }
  return text[0] === 'k' ? { type: 'keyword', keyword: first, startfrom: Number(startfrom) } : { type: 'unknown' }
}

function readFind(text: string): KeySpec['find'] {
  const [a, b, c] = text.slice(1).split(':').map(Number) as [number, number, number]
  if (text[0] === 'r') return { type: 'range', lastkey: a, keystep: b, limit: c }
  return text[0] === 'n' ? { type: 'keynum', keynumidx: a, firstkey: b, keystep: c } : { type: 'unknown' }
}
