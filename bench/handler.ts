/**
 * The layer that every contender runs unchanged. Two scripts handle a lease and a stored result. It
 * is minimal and not a reference: it does not stop an effect that outlives its lease.
 */
import type { JsonValue } from '../src/contract/api/json.ts'
import type { Message, Outcome } from '../src/contract/api/message.ts'

export const scripts = {
  acquire: `-- acquire
local result = redis.call('GET', KEYS[1])
if result then return {'done', result} end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return {'acquired'} end
return {'busy'}`,
  complete: `-- complete
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('DEL', KEYS[2])
return 1`,
}

/**
 * The common interface of ioredis and its replacements. Custom commands become methods of the
 * client.
 */
export interface ScriptClient {
  defineCommand(name: string, definition: { numberOfKeys: number; lua: string }): void
}

interface LayerCommands {
  acquire(result: string, lease: string, owner: string, leaseMs: number): Promise<[string, string?]>
  complete(result: string, lease: string, owner: string, value: string, retentionMs: number): Promise<number>
}

export type LayerClient = ScriptClient & LayerCommands

export interface LayerOptions {
  /** The owner's name, which differs between consumers. */
  readonly owner: string
  readonly leaseMs: number
  readonly retentionMs: number
  readonly perform: (request: { key: string; payload: JsonValue }) => Promise<JsonValue>
}

/** Called once per consumer. The returned function is called once per delivery. */
export function createHandler(client: ScriptClient, options: LayerOptions): (message: Message) => Promise<Outcome> {
  for (const [name, lua] of Object.entries(scripts)) client.defineCommand(name, { numberOfKeys: 2, lua })
  const commands = client as LayerClient
  const { leaseMs, retentionMs, perform } = options
  let attempts = 0
  return async ({ key, payload }) => {
    const owner = `${options.owner}:${++attempts}`
    const [state, stored] = await commands.acquire(`result:${key}`, `lease:${key}`, owner, leaseMs)
    if (state === 'done') return { status: 'done', result: JSON.parse(stored!) }
    if (state === 'busy') return { status: 'retry' }
    const receipt = await perform({ key, payload })
    const kept = await commands.complete(`result:${key}`, `lease:${key}`, owner, JSON.stringify(receipt), retentionMs)
    return kept === 1 ? { status: 'done', result: receipt } : { status: 'retry' }
  }
}
