/** `http` and `https` over the world's network, with separate agents for each process. */
import type http from 'node:http'
import type https from 'node:https'
import { createRequire } from 'node:module'
import net from 'node:net'
import type { VirtualProcess } from '../process.ts'
import { replaceDates } from './http-dates.ts'
import { replaceFunction, replaceValue } from './replace.ts'

interface Agents {
  readonly Agent: typeof http.Agent | typeof https.Agent
}

type Kind = 'httpAgent' | 'httpsAgent'

/**
 * Kept connections belong to the process that opened them. The settings are those of Node's own
 * global agent (lib/_http_agent.js).
 */
function replaceGlobalAgent(module: Agents, kind: Kind): void {
  const agent = ({ own }: VirtualProcess) =>
    (own[kind] ??= new module.Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }) as never)
  replaceValue(module, 'globalAgent', agent, ({ own }, value) => (own[kind] = value as never))
}

const done = new Set<string>()

/** Called for modules that Node loads on request. */
export function whenLoaded(name: string, module: object): void {
  if (done.has(name) || !['http', 'https', '_http_agent'].includes(name)) return
  done.add(name)
  if (name === 'http') replaceDates(module as typeof http)
  replaceGlobalAgent(module as Agents, name === 'https' ? 'httpsAgent' : 'httpAgent')
  // Requests look for the agent in `_http_agent`. Loading that module calls this function again.
  if (name !== '_http_agent') return void createRequire(import.meta.url)('node:_http_agent')
  // Node's agent keeps the real `net.createConnection` when it is loaded.
  replaceFunction((module as Agents).Agent.prototype, 'createConnection', (_process, ...args: unknown[]) =>
    Reflect.apply(net.createConnection as never, net, args),
  )
}
