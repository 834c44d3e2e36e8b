import type { Client, Driver } from './client.ts'

/** The common interface of the clients, Clusters and Sentinels of all node-redis majors. */
export interface NodeRedis {
  connect(): Promise<unknown>
  on(event: string, listener: (error: Error) => void): unknown
  once(event: string, listener: () => void): unknown
  set(key: string, value: string): Promise<unknown>
  get(key: string): Promise<unknown>
  incr(key: string): Promise<unknown>
  hGetAll(key: string): Promise<unknown>
  hSet(key: string, fields: object): Promise<unknown>
  eval(script: string, options: object): Promise<unknown>
  /** Clusters only. */
  sendCommand(key: string, isReadOnly: boolean, args: readonly string[]): Promise<unknown>
  multi(): Queued
  /** Since version 5. */
  destroy?(): unknown
  disconnect?(): Promise<unknown>
}

interface Queued {
  incr(key: string): Queued
  get(key: string): Queued
  exec(): Promise<unknown>
  execAsPipeline(): Promise<unknown>
}

interface Major {
  readonly createClient: (options: never) => unknown
  readonly createCluster: (options: never) => unknown
  readonly createSentinel?: (options: never) => unknown
  /** Options that select RESP2. */
  readonly resp2: object
  /**
   * `eval` of its Clusters takes the script for its options, finds no key in it, and tries one node
   * after another: nine in all, and the reply may still be MOVED.
   */
  readonly evalsAnywhere?: true
  /** The timeout of one command, in the API of this major. */
  readonly getWithin: (client: NodeRedis, ms: number, key: string) => Promise<unknown>
}

const reconnectStrategy = () => 30

export function nodeRedisDriver(major: Major): Driver {
  const { createClient, createCluster, createSentinel, resp2, getWithin } = major
  const evaluate = (client: NodeRedis, script: string, key: string) => client.eval(script, { keys: [key] })
  const evaluateIn = (client: NodeRedis, script: string, key: string) =>
    client.sendCommand(key, false, ['EVAL', script, '1', key])
  const asClient = (made: unknown, evalOf = evaluate): Client => {
    const client = made as NodeRedis
    client.on('error', () => {})
    const queued = (counter: string, key: string) => client.multi().incr(counter).get(key).incr(counter)
    return {
      connect: () => client.connect(),
      on: (event, listener) => client.on(event, listener),
      once: (event, listener) => client.once(event, listener),
      set: (key, value) => client.set(key, value),
      get: (key) => client.get(key),
      incr: (key) => client.incr(key),
      fields: (key) => client.hGetAll(key),
      setFields: (key, fields) => client.hSet(key, fields),
      eval: (script, key) => evalOf(client, script, key),
      pipeline: (counter, key) => queued(counter, key).execAsPipeline(),
      transaction: (counter, key) => queued(counter, key).exec(),
      getWithin: (ms, key) => getWithin(client, ms, key),
      close() {
        // After a late signal, version 4 counts one command too few, and fails here.
        if (client.destroy === undefined) client.disconnect?.().catch(() => {})
        else client.destroy()
      },
    }
  }
  return {
    lostEvent: 'reconnecting',
    open: (at, { resp3 = false } = {}) =>
      asClient(createClient({ socket: { ...at, reconnectStrategy }, ...(resp3 ? { RESP: 3 } : resp2) } as never)),
    cluster: (nodes) =>
      asClient(
        createCluster({ rootNodes: nodes.map((socket) => ({ socket })) } as never),
        major.evalsAnywhere ? evaluateIn : evaluate,
      ),
    ...(createSentinel === undefined
      ? {}
      : { sentinel: (sentinelRootNodes, name) => asClient(createSentinel({ name, sentinelRootNodes } as never)) }),
  }
}
