import type { RedisEnvironment } from 'redis-sim'
import { encodeCommand } from 'redis-sim/resp'
import type { SentinelConfig } from 'redis-sim/sentinel'
import { Sentinel } from 'redis-sim/sentinel'
import type { MachineClock } from 'virtual-node/kernel'
import type { ClientSide } from 'virtual-node/network'
import { Machine } from './machine.ts'
import type { MachineAddress } from './server-machine.ts'
import type { World } from './world-state.ts'

/**
 * A Sentinel on the simulated network. Its configuration is on its disk and outlives its process.
 */
export class SentinelNode extends Machine {
  readonly runs = 'sentinel'
  server: Sentinel
  /** Undefined if its commands are not watched. */
  executed: RedisEnvironment['executed']

  constructor(
    world: World,
    address: MachineAddress,
    clock: MachineClock,
    config: SentinelConfig,
    /** Called with each event that the Sentinel publishes. */
    private readonly published: (node: SentinelNode, type: string, message: string) => void,
  ) {
    super(world, address, clock)
    this.server = this.#start(config)
  }

  #start(config: SentinelConfig): Sentinel {
    return new Sentinel(this, config, (type, message) => this.published(this, type, message))
  }

  /**
   * Calls `reported` with each command that was executed for a client, before the reply is sent.
   */
  watch(reported: NonNullable<RedisEnvironment['executed']>): void {
    const before = this.executed
    this.executed = (...command) => {
      before?.(...command)
      reported(...command)
    }
  }

  clientOf(connectionId: number): ClientSide | undefined {
    return this.clients.get(connectionId)?.connection
  }

  stop(): void {
    this.die()
    this.server.shutdown()
  }

  /** SENTINEL RESET, as by redis-cli. */
  reset(): void {
    const operator = this.server.connect({ write: () => {}, close: () => {} })
    operator.receive(encodeCommand(['SENTINEL', 'RESET', '*']))
    operator.close()
  }

  start(): void {
    this.beginLife()
    this.server = this.#start(this.server.saved)
  }
}
