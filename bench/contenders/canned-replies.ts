/**
 * Measures the cost of the client alone, which is the floor for the simulator. Uses ioredis as a
 * simulated run does, but with recorded replies. Every run has new clients with their handshakes
 * and scripts: one for each consumer, and one for the consumer that restarts. There is no server,
 * network, latency or virtual time.
 */
import { Redis } from 'ioredis'
import { newServer } from '../costs/simulated-redis.ts'
import { createHandler, type LayerClient } from '../handler.ts'
import { consumers, problemOf, type RunEnd, retentionMs, virtualLeaseMs } from '../workload.ts'
import { type Answer, cannedConnector, type Exchange } from './canned-stream.ts'
import { type Contender, UnequalError } from './contender.ts'
import { definedOnce, playRun } from './small-broker.ts'

/** Answers the connections of one run, in the order in which they are made. */
interface Replies {
  open(): Answer
  /** Advances the clock of the recorded server. */
  advance(ms: number): void
}

export async function openCannedReplies(): Promise<Contender> {
  const recorded = await recordReplies()
  return {
    async run(runs) {
      let deliveries = 0
      for (let run = 0; run < runs; run++) {
        const end = await play(canned(recorded))
        const problem = problemOf(end)
        if (problem !== null) throw new UnequalError(`ioredis on canned replies: ${problem}`)
        deliveries += end.deliveries
      }
      return { deliveries, repeated: 0 }
    },
    close: async () => {},
  }
}

/** Records the exchanges of each connection of one run with the simulated Redis. */
async function recordReplies(): Promise<readonly (readonly Exchange[])[]> {
  const clock = { us: 1_767_225_600_000_000 }
  const server = newServer(clock)
  const recorded: Exchange[][] = []
  await play({
    open() {
      const exchanges: Exchange[] = []
      let reply = ''
      const connection = server.connect({ write: (bytes) => void (reply += bytes), close() {} })
      recorded.push(exchanges)
      return (request) => {
        reply = ''
        connection.receive(request.toString('latin1'))
        const bytes = Buffer.from(reply, 'latin1')
        exchanges.push({ requestBytes: request.length, reply: bytes })
        return bytes
      }
    },
    advance: (ms) => void (clock.us += ms * 1000),
  })
  return recorded
}

/**
 * Replays recorded replies.
 * @throws UnequalError if a client's request does not have the recorded length
 */
export function canned(recorded: readonly (readonly Exchange[])[]): Replies {
  let opened = 0
  return {
    open() {
      const exchanges = recorded[opened++]
      let next = 0
      return (request) => {
        const exchange = exchanges?.[next++]
        if (exchange?.requestBytes !== request.length)
          throw new UnequalError('ioredis on canned replies: its requests differ from the recorded ones')
        return exchange.reply
      }
    },
    advance() {},
  }
}

async function play({ open, advance }: Replies): Promise<RunEnd> {
  const Connector = cannedConnector(open)
  const clients: Redis[] = []
  const connect = () => {
    const client = new Redis({ host: '127.0.0.1', port: 6379, Connector })
    clients.push(client)
    return client as unknown as LayerClient
  }
  const end = await playRun(
    Array.from({ length: consumers }, () => definedOnce(connect())),
    {
      leaseMs: virtualLeaseMs,
      prefix: '',
      send: (command) => command(),
      async pause(untilLeaseEnds) {
        if (!untilLeaseEnds) return
        advance(virtualLeaseMs + 1)
        const back = connect()
        createHandler(back, { owner: 'back', leaseMs: virtualLeaseMs, retentionMs, perform: async () => null })
        await new Promise<void>((resolve) => void clients.at(-1)!.once('ready', () => resolve()))
      },
    },
  )
  for (const client of clients) client.disconnect()
  // As in a simulated world, the next run starts in a macrotask, after the cleanup of this run.
  await new Promise<void>((resolve) => void setImmediate(resolve))
  return end
}
