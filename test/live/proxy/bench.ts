/**
 * The tools of a case of the contract suite: links to its own nodes, and both ends of connections
 * through them.
 */
import { once } from 'node:events'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import type { Address } from '../../../src/live/proxy/link-proxy.ts'
import type { ProxiedLink } from '../../../src/live/proxy/proxied-link.ts'
import type { FlowDirection } from '../../../src/run/actions.ts'
import { Line, soon } from './line.ts'

/** The two ends of one connection through a link. */
export interface Ends {
  readonly process: Line
  readonly node: Line
}

export interface LinkToNode {
  readonly link: ProxiedLink
  /** Opens a new connection through the link. */
  connect(): Promise<Ends>
}

export type OpenLink = (name: string, to: Address) => Promise<ProxiedLink>

let linksMade = 0

/** The bench of one case. `end` closes everything that it opened. */
export class Bench {
  readonly #open: (() => unknown)[] = []
  #untouched: Promise<Ends> | null = null

  constructor(private readonly openLink: OpenLink) {}

  async link(): Promise<LinkToNode> {
    const accepted: Socket[] = []
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      accepted.push(socket)
      this.#open.push(() => socket.destroy())
    })
    const link = await this.linkTo(await this.listen(server))
    const connect = async (): Promise<Ends> => {
      const process = await this.dial(link.port)
      if (accepted.length === 0) await soon(once(server, 'connection'), 'a connection')
      return { process, node: new Line(accepted.shift()!) }
    }
    return { link, connect }
  }

  async linkTo(port: number): Promise<ProxiedLink> {
    const link = await this.openLink(`onceproof-contract-${process.pid}-${++linksMade}`, { host: '127.0.0.1', port })
    this.#open.push(() => link.close().catch(() => {}))
    return link
  }

  async listen(server: Server): Promise<number> {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    this.#open.push(() => server.close())
    return (server.address() as AddressInfo).port
  }

  /** Rejects if nothing listens on the port. */
  async dial(port: number): Promise<Line> {
    const socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    this.#open.push(() => socket.destroy())
    await once(socket, 'connect')
    return new Line(socket)
  }

  /**
   * Waits until all bytes on their way have arrived, by many round trips over a link without
   * faults.
   */
  async settle(): Promise<void> {
    this.#untouched ??= this.link().then(({ connect }) => connect())
    const { process, node } = await this.#untouched
    for (let trip = 0; trip < 20; trip++) {
      process.send('.')
      await node.receive(process.text.length + 1)
      node.send('.')
      await process.receive(node.text.length)
    }
  }

  async end(): Promise<void> {
    for (const close of this.#open.reverse()) await close()
  }
}

/** The sending and the receiving end of a direction. */
export function ends(
  { process, node }: Ends,
  direction: FlowDirection,
): { readonly sender: Line; readonly receiver: Line } {
  return direction === 'to-node' ? { sender: process, receiver: node } : { sender: node, receiver: process }
}
