import { readFileSync } from 'node:fs'

/** What a real server names and the simulated one may lack, by kind. */
export interface RealNames<Names = ReadonlySet<string>> {
  readonly functions: Names
  readonly types: Names
  readonly settings: Names
  /** `int4,+,int8`; those on types that are simulated. */
  readonly operators: Names
  /** Words that are column names only in quotes, at least in some places. */
  readonly quotedWords: Names
}

let names: RealNames | undefined

/** Of PostgreSQL 15.20. Read at the first question: most sessions ask none. */
export function realNames(): RealNames {
  return (names ??= readNames())
}

/** fidelity/write-names.ts writes the file. */
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
