import { WireClient } from '../../src/fidelity/postgres/wire-client.ts'

/** By kind, sorted. */
export interface RealNames {
  readonly version: string
  readonly realFunctions: readonly string[]
  readonly realTypes: readonly string[]
  readonly realSettings: readonly string[]
}

const inCatalog = "namespace = 'pg_catalog'::regnamespace"

/** What the catalogs of a real server name. */
export async function realNames(port: number): Promise<RealNames> {
  const client = await WireClient.open(port)
  const names = async (sql: string): Promise<string[]> => {
    const answer = (await client.query(sql))[0]!
    if ('error' in answer) throw new Error(answer.error.M)
    return answer.rows.map((row) => row[0]!).sort()
  }
  const found = {
    version: (await names("SELECT split_part(current_setting('server_version'), ' ', 1)"))[0]!,
    realFunctions: await names(`SELECT DISTINCT proname FROM pg_proc WHERE pro${inCatalog}`),
    realTypes: await names(`SELECT typname FROM pg_type WHERE typ${inCatalog}`),
    realSettings: await names('SELECT lower(name) FROM pg_settings'),
  }
  client.close()
  return found
}
