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
  /** What befalls the request that is served now. */
  #fault: Fault | null = null
  /** What the read that was served last would have been answered if it had seen all writes. */
  #missed: string | undefined

  constructor(world: World, address: MachineAddress, clock: MachineClock) {
    super(world, address, clock)
    this.tap = new RequestTap(world, this)
    this.tables = new Tables(this)
  }

  /** The run is over: see `VirtualProcess.dispose`. */
  dispose(): void {
    this.tap.dispose()
  }

  /** As an operator makes it before anything else: on demand, with time to live. */
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

  /** All requests are refused from now on, or no longer. False where it is so already. */
  throttle(on: boolean): boolean {
    if (this.#throttles === on) return false
    this.#throttles = on
    return true
  }

  /** Serves one request, on which that fault falls. */
  serve(fault: Fault | null, work: () => void): void {
    this.#fault = fault
    this.#missed = undefined
    work()
    this.#fault = null
  }

  /** Undefined if the request that was served last missed nothing. */
  get missedByLast(): string | undefined {
    return this.#missed
  }

  // What the tables stand on.

  /** What was told of this one request holds, also while others are throttled. */
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

  /** A verdict that rests on it is unknown, as one is that rests on what is not simulated. */
  unjudged(what: string): void {
    this.unsupported(`${what} of DynamoDB (never compared with the real one)`)
  }
}
