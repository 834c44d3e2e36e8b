import { keptByText } from './kept-by-text.ts'

/**
 * Labels SQL statements for people and for crash points, by verb and table: `INSERT payments`,
 * `SELECT records`, `COMMIT`. Null for statements that clients and pools send by themselves:
 * settings, and queries of the catalog.
 */
export const labelOfStatement = keptByText(read)

const ownAccount = /^(SET|RESET|SHOW|DISCARD|DEALLOCATE|PREPARE)\b/i

const name = String.raw`((?:"[^"]+"|[\w$]+)(?:\.(?:"[^"]+"|[\w$]+))*)`
/** A locking clause (`FOR UPDATE SKIP LOCKED`) is not a write. */
const written = new RegExp(
  String.raw`\b(?:INSERT\s+INTO|(?<!\bFOR\s+(?:NO\s+KEY\s+)?)UPDATE(?:\s+ONLY)?|DELETE\s+FROM(?:\s+ONLY)?|MERGE\s+INTO)\s+${name}`,
  'i',
)
const read1 = new RegExp(String.raw`\bFROM\s+(?:ONLY\s+)?${name}`, 'i')
const defined = new RegExp(
  String.raw`^(?:CREATE|ALTER|DROP|TRUNCATE)\b[\w\s]*?\b(?:TABLE|INDEX|TYPE|SEQUENCE|VIEW|TRUNCATE)\s+(?:CONCURRENTLY\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?${name}`,
  'i',
)
const first = /\bWITH\s+(?:RECURSIVE\s+)?("[^"]+"|[\w$]+)/i
const called = /^SELECT\s+([a-z_][\w.]*)\s*\(/i

function read(sql: string): string | null {
  const text = sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ').trim()
  if (text === '' || ownAccount.test(text) || /\bpg_catalog\./i.test(text)) return null
  const verb = /^[a-z]+/i.exec(text)?.[0].toUpperCase() ?? '?'
  switch (verb) {
    case 'START':
      return 'BEGIN'
    case 'END':
      return 'COMMIT'
    case 'ABORT':
      return 'ROLLBACK'
    case 'ROLLBACK':
      return /^ROLLBACK\s+(?:WORK\s+|TRANSACTION\s+)?TO\b/i.test(text) ? 'ROLLBACK TO' : 'ROLLBACK'
    case 'INSERT':
    case 'UPDATE':
    case 'DELETE':
    case 'MERGE':
      return about(verb, written.exec(text))
    case 'SELECT':
      return about(verb, read1.exec(text) ?? called.exec(text))
    case 'WITH':
      return about(verb, written.exec(text) ?? read1.exec(text))
    case 'CREATE':
    case 'ALTER':
    case 'DROP':
    case 'TRUNCATE':
      return about(verb, defined.exec(text))
    default:
      return verb
  }
}

/**
 * A name such as `WITH next … UPDATE job`, which distinguishes statements with the same label. Null
 * for a statement that does not both begin with WITH and write.
 */
export function nameOfWith(sql: string): string | null {
  const [begin, query] = first.exec(sql) ?? []
  const [change] = written.exec(sql) ?? []
  if (begin === undefined || change === undefined) return null
  const [verb] = change.split(/\s/, 1)
  return `WITH ${query!.replaceAll('"', '')} … ${about(verb!.toUpperCase(), written.exec(sql))}`
}

/** The verb with the name of the table or function, without schema and quotes. */
function about(verb: string, found: RegExpExecArray | null): string {
  if (found === null) return verb
  const last = /(?:"([^"]+)"|([\w$]+))$/.exec(found[1]!)!
  return `${verb} ${last[1] ?? last[2]}`
}

/**
 * The values of a statement: its parameters, and the literals in its text. A message's key is among
 * them.
 */
export function valuesOfStatement(sql: string, parameters: readonly (string | null)[]): readonly string[] {
  const given = parameters.filter((value) => value !== null)
  const literals = literalsOf(sql)
  return literals.length === 0 ? given : [...given, ...literals]
}

const literalsOf = keptByText((sql): readonly string[] =>
  [...sql.matchAll(/'((?:[^']|'')*)'/g)].map(([, text]) => text!.replaceAll("''", "'")),
)
