/**
 * Measures the cost of the client alone: pg with recorded replies of the simulated server. There is
 * no server, network, latency or virtual time.
 */
import { Client, type ClientConfig } from 'pg'
import { Database, loadSqlParser } from 'postgres-sim'
import { ClientConnection } from 'postgres-sim/wire'
import { type Answer, CannedStream, type Exchange } from '../contenders/canned-stream.ts'
import { UnequalError } from '../contenders/contender.ts'
import { table, upserts } from './upserts.ts'

/** A socket for pg. */
class CannedSocket extends CannedStream {
  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

/** Returns a function that sends the statements once, on a new connection. */
export async function openCannedPostgres(): Promise<() => Promise<void>> {
  await loadSqlParser()
  const recorded: Exchange[] = []
  const answer = simulatedServer()
  await play((request) => {
    const reply = answer(request)
    recorded.push({ requestBytes: request.length, reply })
    return reply
  })
  return () => {
    let next = 0
    return play((request) => {
      const exchange = recorded[next++]
      if (exchange?.requestBytes !== request.length)
        throw new UnequalError('pg on canned replies: its requests differ from the recorded ones')
      return exchange.reply
    })
  }
}

async function play(answer: Answer): Promise<void> {
  const client = new Client({ user: 'app', stream: () => new CannedSocket(answer) } as ClientConfig)
  await client.connect()
  await upserts(client)
  await client.end()
}

/** A simulated server with one connection, whose clock stands still. */
function simulatedServer(): Answer {
  const unsupported = (what: string) => {
    throw new UnequalError(`pg on canned replies: ${what} is not simulated`)
  }
  const database = new Database({
    nowUs: () => 1_767_225_600_000_000,
    after: () => () => {},
    chance: () => 0,
    unsupported,
  })
  const deployed = database.connect({ user: 'app', database: 'app', parameters: {} })
  deployed.execute(deployed.parse(table)[0]!, [], () => {})
  let reply = ''
  const connection = new ClientConnection({
    connect: (startup) => database.connect(startup),
    cancel: () => {},
    executes: () => true,
    executed: () => {},
    send: (bytes) => void (reply += bytes),
    close: () => {},
    later: (work) => work(),
    unsupported,
  })
  return (request) => {
    reply = ''
    connection.feed(request.toString('latin1'))
    while (connection.step());
    return Buffer.from(reply, 'latin1')
  }
}
