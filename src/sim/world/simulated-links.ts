import type { Direction, Link } from 'virtual-node/network'
import { Pipe } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { FlowDirection, LinkAction, LinkDirection, StoreAction } from '../../run/actions.ts'
import type { LinkPort } from '../../run/ports.ts'
import type { World } from './world-state.ts'

/** Applies faults to the network of a simulated run, and carries deliveries from the broker. */
export class SimulatedLinks implements LinkPort {
  /** False while a fault keeps host names from resolving. */
  namesResolve = true

  constructor(private readonly world: Pick<World, 'kernel' | 'network' | 'plan'>) {}

  carry(slot: number, direction: FlowDirection, arrive: () => void): void {
    const link = this.world.network.link(slot, 'broker')
    const way = direction === 'to-node' ? link.toNode : link.toProcess
    const pipe = new Pipe<null, VirtualProcess>(this.world.kernel, way, () => {
      pipe.close()
      arrive()
    })
    pipe.send(null)
  }

  carryOut(action: LinkAction): boolean {
    switch (action.do) {
      case 'block':
        return block(this.#directions(action.slot, action.nodes, action.direction))
      case 'unblock':
        return unblock(this.#directions(action.slot, action.nodes, action.direction))
      case 'slow':
        for (const direction of this.#directions(action.slot, action.nodes, 'both'))
          direction.extraUs += action.extraMs * 1000
        return true
      case 'reset':
        return this.#breakConnections((process) => process === action.process)
      case 'forget':
        return (
          [...this.world.network.connections].filter((one) => one.process === action.process && one.forget()).length > 0
        )
      case 'resolve-names':
        if (this.namesResolve === action.on) return false
        this.namesResolve = action.on
        if (!action.on) this.#breakConnections(() => true)
        return true
    }
  }

  /** Cuts machines of the store off from other machines, or reconnects them. */
  cutOff({ do: what, machines, others, consumersToo }: Extract<StoreAction, { do: 'cut-off' | 'rejoin' }>): boolean {
    const { network } = this.world
    const directions = machines.flatMap((one) => [
      ...others.flatMap((other) => [network.way(one, other), network.way(other, one)]),
      ...(consumersToo ? this.#fromConsumers(one) : []),
    ])
    return what === 'cut-off' ? block(directions) : unblock(directions)
  }

  #fromConsumers(machine: string): Direction[] {
    return Array.from({ length: this.world.plan.consumers }, (_, slot) =>
      both(this.world.network.link(slot, machine)),
    ).flat()
  }

  #directions(slot: number, nodes: readonly string[], direction: LinkDirection): Direction[] {
    const links = nodes.map((name) => this.world.network.link(slot, name))
    if (direction === 'both') return links.flatMap(both)
    return links.map(({ toNode, toProcess }) => (direction === 'to-node' ? toNode : toProcess))
  }

  /** False if no connection is open. */
  #breakConnections(whose: (process: VirtualProcess) => boolean): boolean {
    const open = [...this.world.network.connections].filter((one) => whose(one.process) && one.isAlive)
    for (const connection of open) connection.break('ECONNRESET')
    return open.length > 0
  }
}

const both = ({ toNode, toProcess }: Link): Direction[] => [toNode, toProcess]

/** False if all directions were blocked before. */
function block(directions: readonly Direction[]): boolean {
  if (directions.every(({ blocked }) => blocked)) return false
  for (const direction of directions) direction.block()
  return true
}

/** True if all directions are free now. */
function unblock(directions: readonly Direction[]): boolean {
  for (const direction of directions) direction.unblock()
  return directions.every(({ blocked }) => !blocked)
}
