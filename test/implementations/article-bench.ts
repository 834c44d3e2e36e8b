/**
 * The adapter of an article on a real Redis, with an in-memory sink of kind `plain`, without
 * latency or losses.
 */
import type { Redis } from 'ioredis'
import type { Handler, Implementation } from '../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import type { Receipt, Sink } from '../../src/contract/api/sink.ts'
import { lockReports } from '../../src/run/lock-reports.ts'
import { leaseMs, type Stored } from './article-cases.ts'

export class FakeSink implements Sink {
  readonly kind = 'plain'
  effects = 0
  /** Runs during the next effect. */
  during: (() => Promise<void>) | null = null
  failing = false

  async perform({ key }: { key: string }): Promise<Receipt> {
    const { during } = this
    this.during = null
    await during?.()
    if (this.failing) throw new Error('the effect fails')
    this.effects++
    return { effectId: `effect-${this.effects}`, key }
  }
}

export const message: Message = { id: 'message-1', key: 'order-1', payload: { cents: 100 }, producedAt: 0 }

export async function load(id: string): Promise<Implementation> {
  return (await import(`../../implementations/articles/${id}.ts`)).default
}

/** Consumers of one test, which `close` closes. */
export class Bench {
  readonly #handlers: Handler[] = []
  constructor(
    readonly client: Redis,
    private readonly port: number,
    readonly sink = new FakeSink(),
  ) {}

  /** Starts another process with the adapter. Returns a function that delivers to it. */
  async consumer(id: string): Promise<(delivered?: Message) => Promise<Outcome | 'throws'>> {
    const options = { host: '127.0.0.1', port: this.port }
    const address = { options, url: `redis://127.0.0.1:${this.port}`, nodes: [options], replicas: 0 }
    const instanceId = `consumer-${this.#handlers.length + 1}`
    const implementation = await load(id)
    const context = {
      redis: address,
      instanceId,
      leaseMs,
      retentionMs: 86_400_000,
      sink: this.sink,
      lock: lockReports(() => {}),
    }
    const handler = await implementation.create(context)
    this.#handlers.push(handler)
    return async (delivered = message) => {
      try {
        return withoutReason(await handler.handle(delivered))
      } catch {
        return 'throws'
      }
    }
  }

  /** All string keys with their time to live in seconds: the limit at most 2 s above the rest. */
  async stored(limits: Stored): Promise<Stored> {
    const names = (await this.client.keys('*')).sort()
    const entries = names.map(async (name) => {
      const leftMs = await this.client.pttl(name)
      const limit = limits[name]?.[1] ?? 0
      const seconds = leftMs <= limit * 1000 && leftMs > (limit - 2) * 1000 ? limit : leftMs / 1000
      return [name, [describeValue((await this.client.get(name)) ?? ''), seconds]] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  async close(): Promise<void> {
    for (const handler of this.#handlers) await handler.close?.()
  }
}

/** The text of a reason is not part of the contract. */
function withoutReason(outcome: Outcome): Outcome {
  return outcome.status === 'retry' ? { status: 'retry' } : outcome
}

const token = /^(consumer-[0-9a-f-]+(:[0-9a-f-]+)?|[0-9a-f]{8}-[0-9a-f-]{27})$/

/** JSON by its status and the names of its other members, a token as `<token>`. */
export function describeValue(value: string): string {
  if (token.test(value)) return '<token>'
  if (!value.startsWith('{')) return value
  const { status, ...members } = JSON.parse(value) as { status?: string }
  return [...(status === undefined ? [] : [status]), ...Object.keys(members)].join(' ')
}

function describeArgument(argument: string): string {
  if (/^[0-9a-f]{40}$/.test(argument)) return '<sha>'
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(argument)) return '<now>'
  const script = /^-- ([\w-]+):/.exec(argument)?.[1]
  if (script !== undefined) return `<${script}>`
  return argument.startsWith('{') ? `(${describeValue(argument)})` : describeValue(argument)
}

const handshake = new Set(['info', 'client', 'hello'])

/** The commands of all clients, and of their scripts, while `work` runs. */
export async function commandsOf(client: Redis, work: () => Promise<unknown>): Promise<string[]> {
  const monitor = await client.monitor()
  const seen: string[] = []
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      if (args[0] === 'echo') return resolve()
      if (handshake.has(args[0]!)) return
      // MONITOR escapes quotes and backslashes, but ioredis unescapes only the quotes.
      const reported = args.map((argument) => describeArgument(argument.replaceAll('\\\\', '\\')))
      seen.push((source === 'lua' ? '  ' : '') + reported.join(' '))
    })
  })
  await work()
  await client.echo('ended')
  await ended
  monitor.disconnect()
  return seen
}
