import type { VirtualProcess } from '../runtime/process.ts'
import type { Acceptor, Address, ListenFailure, ServerSocket } from '../runtime/transport.ts'
import { Backlog } from './backlog.ts'
import type { Accepting } from './process-wire.ts'

/** The address of a slot's machine. */
export const addressOf = (slot: number): string => `10.0.1.${slot + 1}`

const isLoopback = (address: string): boolean => address.startsWith('127.')
/**
 * The wildcards for every address of the machine. The world has no IPv6, so `::` means the same as
 * `0.0.0.0`.
 */
const anywhere = new Set(['0.0.0.0', '::'])

interface Listening extends Address {
  readonly process: VirtualProcess
  readonly accept: Acceptor
  readonly backlog: Backlog
}

/** The sockets on which processes listen, by the slot of their machine. */
export class ProcessServers {
  readonly #listening = new Map<number, Set<Listening>>()
  /** Machine and port, including those of processes that are gone. */
  readonly #served = new Set<string>()

  dispose(): void {
    this.#listening.clear()
    this.#served.clear()
  }

  listen(process: VirtualProcess, { address, port }: Address, accept: Acceptor): ServerSocket | ListenFailure {
    const { slot } = process
    if (!anywhere.has(address) && !isLoopback(address) && address !== addressOf(slot)) return 'EADDRNOTAVAIL'
    const here = this.#at(slot)
    for (const other of here) if (other.port === port && meet(other.address, address)) return 'EADDRINUSE'
    const listening: Listening = { process, address, port, accept, backlog: new Backlog() }
    here.add(listening)
    this.#served.add(`${slot}:${port}`)
    return {
      address,
      port,
      close() {
        here.delete(listening)
        listening.backlog.reset()
      },
    }
  }

  #at(slot: number): Set<Listening> {
    let here = this.#listening.get(slot)
    if (here === undefined) this.#listening.set(slot, (here = new Set()))
    return here
  }

  /**
   * The slot of the machine that an address names, as seen from the slot `from`; null if no process
   * ever listened on the port.
   */
  slotOf(from: number, address: string, port: number): number | null {
    const [, number] = /^10\.0\.1\.(\d+)$/.exec(address) ?? []
    const slot = isLoopback(address) ? from : number === undefined ? null : Number(number) - 1
    return slot !== null && this.#served.has(`${slot}:${port}`) ? slot : null
  }

  /** The socket that listens at `local` now. */
  at(slot: number, local: Address, remote: Address): Accepting | null {
    for (const { process, address, port, accept, backlog } of this.#at(slot))
      if (port === local.port && meet(address, local.address))
        return {
          process,
          connects(waiting) {
            backlog.add(waiting, (stream) => accept(stream, local, remote))
            process.wake(backlog)
          },
        }
    return null
  }
}

function meet(one: string, other: string): boolean {
  return one === other || anywhere.has(one) || anywhere.has(other)
}
