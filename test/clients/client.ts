/**
 * The common operations of all clients in the table. The driver of each family maps them to the API
 * of its client.
 */

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Client {
  /** Resolves when the client can run commands. */
  connect(): Promise<unknown>
  on(event: string, listener: (error: Error) => void): unknown
  once(event: string, listener: () => void): unknown
  set(key: string, value: string): Promise<unknown>
  get(key: string): Promise<unknown>
  incr(key: string): Promise<unknown>
  fields(key: string): Promise<unknown>
  setFields(key: string, fields: Record<string, string>): Promise<unknown>
  /** Runs the script with one key. */
  eval(script: string, key: string): Promise<unknown>
  /** `INCR counter`, `GET key`, `INCR counter`, in one write and not as a transaction. */
  pipeline(counter: string, key: string): Promise<unknown>
  /** The same, as a transaction. */
  transaction(counter: string, key: string): Promise<unknown>
  /** GET with its own timeout. */
  getWithin(ms: number, key: string): Promise<unknown>
  /** Disconnects at once. */
  close(): void
}

export interface Driver {
  /** The event of a client that has lost its connection. */
  readonly lostEvent: string
  /** Retries every 30 ms. */
  open(at: Address, options?: { readonly resp3?: boolean }): Client
  readonly sentinel?: (sentinels: readonly Address[], name: string) => Client
  readonly cluster: (nodes: readonly Address[]) => Client
}
