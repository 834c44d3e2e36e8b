/**
 * What all clients of the table can do, called alike: a driver for each family does it in its
 * client's own way.
 */

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Client {
  /** Resolves when commands are answered. */
  connect(): Promise<unknown>
  on(event: string, listener: (error: Error) => void): unknown
  once(event: string, listener: () => void): unknown
  set(key: string, value: string): Promise<unknown>
  get(key: string): Promise<unknown>
  incr(key: string): Promise<unknown>
  fields(key: string): Promise<unknown>
  setFields(key: string, fields: Record<string, string>): Promise<unknown>
  /** Of the script, with one key. */
  eval(script: string, key: string): Promise<unknown>
  /** `INCR counter`, `GET key`, `INCR counter`, in one write and not as a transaction. */
  pipeline(counter: string, key: string): Promise<unknown>
  /** The same as a transaction. */
  transaction(counter: string, key: string): Promise<unknown>
  /** GET with a time-out of its own. */
  getWithin(ms: number, key: string): Promise<unknown>
  /** Gives up at once. */
  close(): void
}

export interface Driver {
  /** Told by a client that has lost its connection. */
  readonly lostEvent: string
  /** It tries again every 30 ms. */
  open(at: Address, options?: { readonly resp3?: boolean }): Client
  readonly sentinel?: (sentinels: readonly Address[], name: string) => Client
  readonly cluster: (nodes: readonly Address[]) => Client
}
