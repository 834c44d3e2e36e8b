/** Tests that the same functions and casts are IMMUTABLE in the simulated server and in pg_proc. */

import { WireClient } from 'test-servers'
import { expect, it } from 'vitest'
import { canCast } from '../../src/engine/expressions/coerce.ts'
import { isStableCast } from '../../src/engine/expressions/stable-casts.ts'
import { jsonFunctions } from '../../src/engine/functions/json-functions.ts'
import { plainFunctions } from '../../src/engine/functions/plain-functions.ts'
import { sessionFunctions, waitingFunctions } from '../../src/engine/functions/session-functions.ts'
import { walFunctions } from '../../src/engine/functions/wal-functions.ts'
import { types } from '../../src/engine/values/types.ts'
import { describeBothServers } from './both-servers.ts'

async function rowsOf(port: number, sql: string): Promise<readonly (readonly (string | null)[])[]> {
  const client = await WireClient.open(port)
  const answer = (await client.query(sql)).at(-1)!
  client.close()
  if ('error' in answer) throw new Error(answer.error.M)
  return answer.rows
}

/**
 * Queries the pairs of types whose cast is not IMMUTABLE: by the function of the cast, or else by
 * the output function of one type and the input function of the other.
 */
const volatileCast = `
  SELECT f.typname, t.typname FROM pg_type f CROSS JOIN pg_type t
  JOIN pg_proc o ON o.oid = f.typoutput JOIN pg_proc i ON i.oid = t.typinput
  LEFT JOIN pg_cast c ON c.castsource = f.oid AND c.casttarget = t.oid
  LEFT JOIN pg_proc p ON p.oid = c.castfunc
  WHERE CASE WHEN c.castmethod = 'b' THEN false WHEN c.castmethod = 'f' THEN p.provolatile <> 'i'
    ELSE o.provolatile <> 'i' OR i.provolatile <> 'i' END`

describeBothServers((servers) => {
  it('agree on which functions are IMMUTABLE', async () => {
    const known = await rowsOf(
      servers().real.port,
      "SELECT proname, array_to_string(proargtypes, ' '), provolatile FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace",
    )
    const simulated = [
      ...[...plainFunctions, ...jsonFunctions, ...sessionFunctions, ...walFunctions],
      ...waitingFunctions.map((one) => ({ ...one, mutable: true, variadic: false })),
    ]
    // pg_typeof() is omitted, because it is always unsupported.
    const called = simulated.filter(({ name }) => name !== 'pg_typeof')
    const reported = called.map(({ name, args, mutable, variadic }) => {
      const given = args.map(({ oid }) => oid).join(' ')
      // The last argument of jsonb_set() has a default.
      const fits = (found: string) => variadic || found === given || (name === 'jsonb_set' && found.startsWith(given))
      const real = known
        .filter(([found, types]) => found === name && fits(types!))
        .map(([, , reported]) => reported !== 'i')
      return { name, given, mutable: mutable === true, real: [...new Set(real)] }
    })
    expect(reported.filter(({ mutable, real }) => real.length !== 1 || real[0] !== mutable)).toEqual([])
    expect(new Set(reported.map(({ mutable }) => mutable)).size).toBe(2)
  })

  it('agree on which casts are IMMUTABLE', async () => {
    const real = new Set((await rowsOf(servers().real.port, volatileCast)).map((pair) => pair.join(' ')))
    const all = Object.values(types).filter((one) => one !== types.unknown && one !== types.void)
    const pairs = all.flatMap((from) => all.map((to) => [from, to] as const))
    const asked = pairs.filter(([from, to]) => from !== to && canCast(from, to, 'explicit'))
    const differ = asked.filter(([from, to]) => isStableCast(from, to) !== real.has(`${from.name} ${to.name}`))
    expect(differ.map(([from, to]) => `${from.name} to ${to.name}`)).toEqual([])
    expect(asked.filter(([from, to]) => isStableCast(from, to)).length).toBeGreaterThan(20)
  })
})
