import { readFileSync } from 'node:fs'

/** Names that a real server knows, by kind. The simulated server does not support all of them. */
export interface RealNames<Names = ReadonlySet<string>> {
  readonly functions: Names
  readonly types: Names
  readonly settings: Names
  /** Operators in the form `int4,+,int8`. Only operators on simulated types are listed. */
  readonly operators: Names
  /** Words that need quotes as column names, at least in some places. */
  readonly quotedWords: Names
}

let names: RealNames | undefined

/**
 * Names of PostgreSQL 15.20. The file is read on first use because most sessions do not need it.
 */
export function realNames(): RealNames {
  return (names ??= readNames())
}

/** Reads the file, which fidelity/write-names.ts generates. */
function readNames(): RealNames {
  const text = readFileSync(new URL('./real-names.json', import.meta.url), 'utf8')
  const { functions, types, settings, operators, quotedWords } = JSON.parse(text) as RealNames<string[]>
  return {
    functions: new Set(functions),
    types: new Set(types),
    settings: new Set(settings),
    operators: new Set(operators),
    quotedWords: new Set(quotedWords),
  }
}
