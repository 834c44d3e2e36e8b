/** `http` and `https`: over the world's network, by agents that each process has for itself. */
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
 * Kept connections belong to the process that opened them. As Node's own global agent
 * (lib/_http_agent.js).
 */
function replaceGlobalAgent(module: Agents, kind: Kind): void {
  const agent = ({ own }: VirtualProcess) =>
    (own[kind] ??= new module.Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }) as never)
  replaceValue(module, 'globalAgent', agent, ({ own }, value) => (own[kind] = value as never))
}

const done = new Set<string>()

/** Modules that Node loads when they are asked for. */
export function whenLoaded(name: string, module: object): void {
  if (done.has(name) || !['http', 'https', '_http_agent'].includes(name)) return
  done.add(name)
  if (name === 'http') replaceDates(module as typeof http)
  replaceGlobalAgent(module as Agents, name === 'https' ? 'httpsAgent' : 'httpAgent')
  // Where requests look for it: loading it comes back here.
  if (name !== '_http_agent') return void createRequire(import.meta.url)('node:_http_agent')
  // Node keeps the real function from the time when it loaded its agent.
  replaceFunction((module as Agents).Agent.prototype, 'createConnection', (_process, ...args: unknown[]) =>
    Reflect.apply(net.createConnection as never, net, args),
  )
}
