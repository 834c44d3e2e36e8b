import { type Fault, Tables, type TablesHost } from 'dynamodb-sim'
import type { MachineClock } from 'virtual-node/kernel'
import type { ClientSide, Listener, ServerEnd } from 'virtual-node/network'
import type { StoreServer } from '../../../run/ports.ts'
import { type MachineAddress, ServerMachine } from '../server-machine.ts'
import type { World } from '../world-state.ts'
import { RequestTap } from './request-tap.ts'
import { ServedHttp } from './served-http.ts'

/** The service behind its endpoint: its clock, its choices, its tables. */
export class DynamoDBNode extends ServerMachine implements Listener, StoreServer, TablesHost {
  readonly runs = 'dynamodb'
  readonly hasDisk = true
  readonly tap: RequestTap
  readonly tables: Tables
  #throttles = false
  /** The fault of the request that is being served. */
  #fault: Fault | null = null
  /** The consistent answer to the last read, if that read missed writes. */
  #missed: string | undefined

  constructor(world: World, address: MachineAddress, clock: MachineClock) {
    super(world, address, clock)
    this.tap = new RequestTap(world, this)
    this.tables = new Tables(this)
  }

  /** Called when the run is over; see `VirtualProcess.dispose`. */
  dispose(): void {
    this.tap.dispose()
  }

  /**
   * Creates the table as an operator would beforehand, with on-demand billing and a time-to-live
   * attribute.
   */
  provision(TableName: string): void {
    const AttributeName = 'idempotency_key'
    this.tables.provision(
      {
        TableName,
        AttributeDefinitions: [{ AttributeName, AttributeType: 'S' }],
        KeySchema: [{ AttributeName, KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      },
      'ttl',
    )
  }

  accept(connection: ClientSide): ServerEnd {
    return new ServedHttp(this, connection)
  }

  /** Starts or stops refusing all requests. Returns false if nothing changes. */
  throttle(on: boolean): boolean {
    if (this.#throttles === on) return false
    this.#throttles = on
    return true
  }

  /** Serves one request; `fault` applies to this request only. */
  serve(fault: Fault | null, work: () => void): void {
    this.#fault = fault
    this.#missed = undefined
    work()
    this.#fault = null
  }

  /**
   * The reply that a consistent read would have received; undefined if the last read missed
   * nothing.
   */
  get missedByLast(): string | undefined {
    return this.#missed
  }

  // The host of the tables.

  /** The fault of a single request takes precedence over throttling. */
  fault(): Fault | null {
    return this.#fault ?? (this.#throttles ? 'throttled' : null)
  }

  nowMs(): number {
    return Math.floor(this.nowUs() / 1000)
  }

  chance(what: string, n: number): number {
    return this.choices.choose(what, n)
  }

  missed(consistent: string): void {
    this.#missed = Buffer.from(consistent, 'utf8').toString('latin1')
  }

  expired(table: string, key: string): void {
    this.world.recorder.fact({ type: 'data-lost', node: this.name, cause: 'expiry', redisKeys: [`${table} ${key}`] })
  }

  /**
   * Called with a behavior that was never compared with an independent implementation. A verdict
   * that depends on that behavior is unknown, as with an unsupported feature.
   */
  unjudged(what: string): void {
    this.unsupported(`${what} of DynamoDB (never compared with the real one)`)
  }
}
