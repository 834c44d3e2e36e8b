import type { StoreAction } from '../../run/actions.ts'
import type { StorePort } from '../../run/ports.ts'
import type { Machine } from './machine.ts'
import { RedisNode } from './redis-node.ts'
import type { RedisSite } from './redis-site.ts'
import type { SimulatedLinks } from './simulated-links.ts'

/** Applies faults to the machines of the simulated Redis deployment. */
export class RedisStore implements StorePort {
  constructor(
    private readonly site: RedisSite,
    private readonly links: SimulatedLinks,
  ) {}

  get machines(): readonly Machine[] {
    return this.site.machines
  }

  get primary(): RedisNode {
    return this.site.primary
  }

  carryOut(action: StoreAction): boolean {
    switch (action.do) {
      case 'stop-machine':
        this.#machine(action.machine).stop(action.withDisk)
        return true
      case 'forget-machine':
        // SENTINEL RESET discards a failover in progress, and forgets the promoted server forever.
        // So an operator waits for the end of the failover.
        if (this.site.anyFailover) return false
        this.#machine(action.machine).stop()
        this.site.forgetReplicas()
        return true
      case 'add-machine':
        this.#server(action.machine).startAsReplicaOf(this.primary.address)
        return true
      case 'remove-machine':
        this.#machine(action.machine).stop(true)
        this.site.forgetReplicasWhenAttached()
        return true
      case 'start-machine':
        this.#machine(action.machine).start()
        return true
      case 'flush-keys':
        this.#server(action.machine).flushAll()
        return true
      case 'flush-scripts':
        this.#server(action.machine).flushScripts()
        return true
      case 'evict':
        if (action.on) return this.#server(action.machine).evict()
        this.#server(action.machine).stopEvicting()
        return true
      case 'stall':
        return this.#server(action.machine).stall(action.on)
      case 'degrade':
        return this.#server(action.machine).degrade(action.what, action.on)
      case 'cut-off':
      case 'rejoin':
        return this.links.cutOff(action)
      case 'throttle':
        throw new Error('no fault of Redis asks for throttle')
    }
  }

  #machine(name: string): Machine {
    const machine = this.site.machines.find((one) => one.name === name)
    if (machine === undefined) throw new Error(`no machine of the deployment is called ${name}`)
    return machine
  }

  #server(name: string): RedisNode {
    const machine = this.#machine(name)
    if (!(machine instanceof RedisNode)) throw new Error(`${name} is not a Redis server`)
    return machine
  }
}
