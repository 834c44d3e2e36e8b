/** The effect of a command timeout, on real and simulated sockets. */
import { describe, expect, it } from 'vitest'
import { respServer } from '../../packages/virtual-node/test/network/resp-server.ts'
import { expectAlike, type Client as Program } from '../../packages/virtual-node/test/network/sides.ts'
import { clients, type Row } from './clients.ts'

const outcome = (work: Promise<unknown>) =>
  work.then(
    (value) => JSON.stringify(value),
    (error: Error) => `${error.name}: ${error.message}`,
  )

const timeoutMs = 60

/** Ends everything after a generous delay. */
const patient = (log: (line: string) => void, close: () => void, over: () => void) => {
  setTimeout(() => {
    log('nothing more')
    close()
    setTimeout(over, 30)
  }, 250)
}

/** A reply never comes. */
const sent =
  ({ open }: Row): Program =>
  async (at, log, over) => {
    const client = open(at)
    await client.connect()
    void outcome(client.getWithin(timeoutMs, 'hang')).then(log)
    patient(log, () => client.close(), over)
  }

/** A server does not exist. */
const waiting =
  ({ open }: Row): Program =>
  (at, log, over) => {
    const client = open(at)
    client.connect().catch(() => {})
    void outcome(client.getWithin(timeoutMs, 'a')).then(log)
    patient(log, () => client.close(), over)
  }

describe('on real and simulated sockets,', () => {
  for (const [name, row] of Object.entries(clients)) {
    const inTime = (events: readonly string[]) => events.indexOf('nothing more') > 0

    const does = row.timesOutSent ? 'gives up' : 'does not give up'
    it(`${name} ${does} a command with a late reply`, async () => {
      expect(inTime(await expectAlike(respServer, sent(row)))).toBe(row.timesOutSent)
    })

    it(`${name} gives up a command that cannot be sent in time`, async () => {
      expect(inTime(await expectAlike(null, waiting(row)))).toBe(true)
    })
  }
})
