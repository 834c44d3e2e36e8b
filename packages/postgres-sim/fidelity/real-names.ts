import { WireClient } from 'test-servers'
import { allTypes } from '../src/engine/values/types.ts'

/** By kind, sorted. */
export interface RealNames {
  readonly version: string
  readonly realFunctions: readonly string[]
  readonly realTypes: readonly string[]
  readonly realSettings: readonly string[]
  /** `int4,+,int8`; those on types that are simulated. */
  readonly realOperators: readonly string[]
  /** Words that are no names of columns unless they are quoted, in some place or other. */
  readonly quotedWords: readonly string[]
}

const simulated = allTypes()
  .map(({ name }) => `'${name}'`)
  .join()
const inCatalog = "namespace = 'pg_catalog'::regnamespace"

/** What the catalogs of a real server name. */
export async function realNames(port: number): Promise<RealNames> {
  const client = await WireClient.open(port)
  const names = async (sql: string): Promise<string[]> => {
    const answer = (await client.query(sql))[0]!
    if ('error' in answer) throw new Error(answer.error.M)
    return answer.rows.map((row) => row[0]!).sort()
  }
  const operand = (type: string) => `${type}.typtype = 'p' OR ${type}.typname IN (${simulated})`
  const found = {
    version: (await names("SELECT split_part(current_setting('server_version'), ' ', 1)"))[0]!,
    realFunctions: await names(`SELECT DISTINCT proname FROM pg_proc WHERE pro${inCatalog}`),
    realTypes: await names(`SELECT typname FROM pg_type WHERE typ${inCatalog}`),
    realSettings: await names('SELECT lower(name) FROM pg_settings'),
    realOperators: await names(
      `SELECT concat_ws(',', coalesce(l.typname, ''), oprname, r.typname)
       FROM pg_operator LEFT JOIN pg_type l ON l.oid = oprleft JOIN pg_type r ON r.oid = oprright
       WHERE opr${inCatalog} AND (oprleft = 0 OR ${operand('l')}) AND (${operand('r')})`,
    ),
    quotedWords: await names("SELECT word FROM pg_get_keywords() WHERE catcode <> 'U'"),
  }
  client.close()
  return found
}
