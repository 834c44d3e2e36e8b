/**
 * The code that a user of either peer writes around the layer: consumers that can die, and a broker
 * that delivers again. It lacks a network, latencies, a slow sink, and a consumer that restarts,
 * which favors the peers.
 */
import type { JsonValue } from '../../src/contract/api/json.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import { createHandler, type LayerClient } from '../handler.ts'
import { consumers, doomedConsumer, messages, type RunEnd, retentionMs } from '../workload.ts'

export interface BrokerDeps {
  readonly leaseMs: number
  /** A prefix of every key, so that runs on one server do not interfere. */
  readonly prefix: string
  /** Executes one command of a consumer. */
  send<T>(command: () => Promise<T>, label: string): Promise<T>
  /**
   * Waits before messages are delivered again. If `untilLeaseEnds` is true, waits at least until
   * the end of a lease that is held now.
   */
  pause(untilLeaseEnds: boolean): Promise<void>
}

const never = new Promise<never>(() => {})

interface Consumer {
  alive: boolean
  handle(message: Message): Promise<Outcome>
  /** Resolves when the consumer crashes. */
  readonly crashed: Promise<'crashed'>
}

/** Delivers the messages in rounds until every message is settled. */
export async function playRun(clients: readonly LayerClient[], on: BrokerDeps): Promise<RunEnd> {
  const effects: string[] = []
  const all = Array.from({ length: consumers }, (_, at) => consumer(at, clients[at % clients.length]!, on, effects))
  let open = messages
  let deliveries = 0
  let crashes = 0
  while (open.length > 0) {
    const living = all.filter(({ alive }) => alive)
    deliveries += open.length
    const ends = await Promise.all(open.map((message, at) => deliver(living[at % living.length]!, message)))
    open = open.filter((_, at) => ends[at] !== 'done')
    const crashedNow = ends.includes('crashed')
    if (crashedNow) crashes++
    if (open.length > 0) await on.pause(crashedNow)
  }
  return { effects, settled: messages.length, crashes, deliveries }
}

async function deliver(to: Consumer, message: Message): Promise<'done' | 'retry' | 'crashed'> {
  const end = await Promise.race([to.handle(message), to.crashed])
  return end === 'crashed' ? end : end.status === 'done' ? 'done' : 'retry'
}

function consumer(at: number, client: LayerClient, on: BrokerDeps, effects: string[]): Consumer {
  let crash = () => {}
  const crashed = new Promise<'crashed'>((resolve) => {
    crash = () => resolve('crashed')
  })
  const perform = async ({ key, payload }: { key: string; payload: JsonValue }): Promise<JsonValue> => {
    if (at === doomedConsumer) {
      self.alive = false
      crash()
      return never
    }
    effects.push(key)
    return { effectId: `effect-${effects.length}`, key, payload }
  }
  /** The pending commands of a dead consumer never settle. */
  const mortal = async <T>(command: () => Promise<T>, label: string): Promise<T> => {
    const reply = await on.send(command, label)
    return self.alive ? reply : never
  }
  const commands: LayerClient = {
    defineCommand: (name, definition) => client.defineCommand(name, definition),
    acquire: (result, lease, ...rest) =>
      mortal(() => client.acquire(on.prefix + result, on.prefix + lease, ...rest), 'acquire'),
    complete: (result, lease, ...rest) =>
      mortal(() => client.complete(on.prefix + result, on.prefix + lease, ...rest), 'complete'),
  }
  const self: Consumer = {
    alive: true,
    crashed,
    handle: createHandler(commands, { owner: `consumer-${at + 1}`, leaseMs: on.leaseMs, retentionMs, perform }),
  }
  return self
}

/**
 * Wraps a client that outlives runs. Every consumer defines its scripts, but only the first
 * definition is passed to the client.
 */
export function definedOnce(client: LayerClient): LayerClient {
  const defined = new Set<string>()
  return {
    defineCommand(name, definition) {
      if (defined.has(name)) return
      defined.add(name)
      client.defineCommand(name, definition)
    },
    acquire: (...args) => client.acquire(...args),
    complete: (...args) => client.complete(...args),
  }
}
