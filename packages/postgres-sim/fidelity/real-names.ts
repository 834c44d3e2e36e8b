import { WireClient } from 'test-servers'
import type { RealNames } from '../src/engine/reference/real-names.ts'
import { allTypes } from '../src/engine/values/types.ts'

const simulated = allTypes()
  .map(({ name }) => `'${name}'`)
  .join()
const inCatalog = "namespace = 'pg_catalog'::regnamespace"

/** Generates the simulator's file of names (real-names.json) from the catalogs of a real server. */
export async function namesFile(port: number): Promise<string> {
  const client = await WireClient.open(port)
  const names = async (sql: string): Promise<string[]> => {
    const answer = (await client.query(sql))[0]!
    if ('error' in answer) throw new Error(answer.error.M)
    return answer.rows.map((row) => row[0]!).sort()
  }
  const operand = (type: string) => `${type}.typtype = 'p' OR ${type}.typname IN (${simulated})`
  const found: RealNames<string[]> = {
    functions: await names(`SELECT DISTINCT proname FROM pg_proc WHERE pro${inCatalog}`),
    types: await names(`SELECT typname FROM pg_type WHERE typ${inCatalog}`),
    settings: await names('SELECT lower(name) FROM pg_settings'),
    operators: await names(
      `SELECT concat_ws(',', coalesce(l.typname, ''), oprname, r.typname)
       FROM pg_operator LEFT JOIN pg_type l ON l.oid = oprleft JOIN pg_type r ON r.oid = oprright
       WHERE opr${inCatalog} AND (oprleft = 0 OR ${operand('l')}) AND (${operand('r')})`,
    ),
    quotedWords: await names("SELECT word FROM pg_get_keywords() WHERE catcode <> 'U'"),
  }
  client.close()
  return `${JSON.stringify(found, null, 1)}\n`
}
