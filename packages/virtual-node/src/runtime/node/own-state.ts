/** State that Node keeps once, and that each simulated process has separately. */
import type http from 'node:http'
import type https from 'node:https'
import type { Readable, Writable } from 'node:stream'
import type { VirtualProcess } from '../process.ts'
import { argv, environment, zone } from './sees.ts'

/**
 * Node's own `process`. In a simulated process, the global name refers to the object that is made
 * below.
 */
const realProcess = globalThis.process

export class OwnState {
  #env: NodeJS.ProcessEnv | null = null
  readonly argv = [...argv]
  readonly execArgv: string[] = []
  title = 'node'
  /**
   * The `process` object that the code of this process sees. It is a separate object, because some
   * members of Node's own object cannot be replaced.
   */
  readonly process: object
  /** The members below are made on first use. */
  stdin: Readable | null = null
  stdout: Writable | null = null
  stderr: Writable | null = null
  report: object | null = null
  console: Console | null = null
  httpAgent: http.Agent | null = null
  httpsAgent: https.Agent | null = null

  constructor(private readonly virtual: VirtualProcess) {
    let exitCode: unknown
    this.process = Object.create(realProcess, {
      argv0: { value: 'node', enumerable: true },
      exitCode: { get: () => exitCode, set: (code: unknown) => void (exitCode = code), enumerable: true },
    })
  }

  get env(): NodeJS.ProcessEnv {
    return (this.#env ??= environmentOf(this.virtual))
  }
}

/** Converts every value to a text, as Node does. */
function environmentOf(process: VirtualProcess): NodeJS.ProcessEnv {
  const values: NodeJS.ProcessEnv = { ...environment, HOSTNAME: process.hostname }
  const put = (name: string | symbol, value: unknown): boolean => {
    if (typeof name === 'symbol' || typeof value === 'symbol')
      throw new TypeError('Cannot convert a Symbol value to a string')
    if (name === 'TZ' && String(value) !== zone)
      process.host.unsupported(`process.env.TZ = ${String(value)}: the time zone of a process is ${zone}`)
    // Modules are loaded in a separate process, whose environment is not visible later.
    if (process.host.files.loading) process.host.unsupported(`process.env.${name}, set while the adapter is loaded`)
    values[name] = String(value)
    return true
  }
  return new Proxy(values, {
    set: (_, name, value) => put(name, value),
    defineProperty: (_, name, { value }) => put(name, value),
  })
}
