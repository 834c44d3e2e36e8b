/** A proxy for links. */
import type { ProxiedLink } from './proxied-link.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface LinkProxy {
  /** The name and version for the first line of a command's output: `Toxiproxy 2.12.0`. */
  readonly about: string
  /**
   * Opens a link. `name`: unique among open links.
   * @throws LiveProblem if a Toxiproxy refuses it
   */
  openLink(name: string, to: Address): Promise<ProxiedLink>
  /**
   * True if links can treat open connections differently from later ones:
   * `ProxiedLink.connections`.
   */
  readonly forgets: boolean
  /** Resolves to true if the proxy still forwards data. */
  isAlive(): Promise<boolean>
  /** Closes the proxy. If the harness started it, open links are closed, too. */
  close(): Promise<void>
}
