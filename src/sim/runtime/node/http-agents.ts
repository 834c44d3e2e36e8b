/** `http` and `https` as clients: over the world's network, by agents that each process has for itself. */
import type http from 'node:http'
import type https from 'node:https'
import net from 'node:net'
import type { VirtualProcess } from '../process.ts'
import { replaceFunction, replaceValue } from './replace.ts'

type Client = typeof http | typeof https

interface RequestOptions {
  readonly agent?: unknown
}

/** Kept connections belong to the process that opened them. */
function agentOf(client: Client, kind: 'httpAgent' | 'httpsAgent', { own }: VirtualProcess): unknown {
  return (own[kind] ??= new client.Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }) as never)
}

/** `request(url, options, done)` or `request(options, done)`, with the agent of its process where none is named. */
function withAgent(agent: unknown, args: readonly unknown[]): unknown[] {
  const at = typeof args[0] === 'string' || args[0] instanceof URL ? 1 : 0
  const given = args[at]
  if (typeof given !== 'object' || given === null) return [...args.slice(0, at), { agent }, ...args.slice(at)]
  if ((given as RequestOptions).agent !== undefined) return [...args]
  return [...args.slice(0, at), { ...given, agent }, ...args.slice(at + 1)]
}

export function installHttpClient(client: Client, kind: 'httpAgent' | 'httpsAgent'): void {
  const agent = (process: VirtualProcess) => agentOf(client, kind, process)
  const written = ({ own }: VirtualProcess, value: unknown) => (own[kind] = value as never)
  replaceValue(client, 'globalAgent', agent, written)
  for (const name of ['request', 'get'] as const) {
    const realFunction = client[name] as (...args: unknown[]) => unknown
    replaceFunction(client, name, (process, ...args: unknown[]) =>
      Reflect.apply(realFunction, client, withAgent(agent(process), args)),
    )
  }
  // Node keeps the real function from the time when it loaded its agent.
  if (kind === 'httpAgent')
    replaceFunction(client.Agent.prototype, 'createConnection', (_process, ...args: unknown[]) =>
      Reflect.apply(net.createConnection as never, net, args),
    )
}
