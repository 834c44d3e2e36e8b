/**
 * A text of several statements whose commit fails. The last statement has no command tag, because
 * its tag would be sent after the transaction has ended.
 */
import { expect, it } from 'vitest'
import { query, startup } from '../frontend-bytes.ts'
import { messageClient } from '../message-client.ts'
import { describeBothServers } from './both-servers.ts'

/**
 * The messages to session `two`, whose transaction is aborted because session `one` commits while
 * the last statement of `two` waits.
 */
async function story(port: number): Promise<string[]> {
  const open = async () => {
    const client = await messageClient(port)
    await client.turn(startup())
    return { ...client, ask: (sql: string) => client.turn(query(sql)) }
  }
  const [holder, one, two] = [await open(), await open(), await open()]
  await holder.ask("DROP TABLE IF EXISTS t; CREATE TABLE t (k text, n int); INSERT INTO t VALUES ('a', 1), ('b', 2)")
  await holder.ask('SELECT pg_advisory_lock(1)')
  await one.ask("BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT sum(n) FROM t; UPDATE t SET n = 5 WHERE k = 'a'")
  await two.ask("SET default_transaction_isolation = 'serializable'")
  const text =
    "SELECT sum(n) FROM t; UPDATE t SET n = 5 WHERE k = 'b'; SELECT pg_advisory_lock(2), 7; SELECT pg_advisory_lock(1), 8"
  const heard = two.ask(text)
  // When session `two` has written, it holds the lock.
  const gotIt = async () => (await holder.ask('SELECT pg_try_advisory_lock(2)')).some((one) => /^D .*t"$/.test(one))
  while (await gotIt()) await holder.ask('SELECT pg_advisory_unlock(2)')
  await one.ask('COMMIT')
  await holder.ask('SELECT pg_advisory_unlock(1)')
  const said = await heard
  for (const client of [holder, one, two]) client.end()
  return said
}

describeBothServers((servers) => {
  it('send the rows of the last statement of a text whose commit fails, and then the error', async () => {
    const { real, simulated } = servers()
    const heard = await story(simulated.port)
    expect(heard).toEqual(await story(real.port))
    const types = heard.map((one) => one[0]).join('')
    expect(types).toBe('TDCCTDCTDEZ')
  })
})
