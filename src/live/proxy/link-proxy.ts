/** A proxy for links. */
import type { ProxiedLink } from './proxied-link.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface LinkProxy {
  /** `Toxiproxy 2.12.0`, for the first line of a command's output. */
  readonly about: string
  /** `name` is unique among open links. @throws LiveProblem if a Toxiproxy refuses it */
  openLink(name: string, to: Address): Promise<ProxiedLink>
  /**
   * Whether its links can treat open connections differently from later ones:
   * `ProxiedLink.connections`.
   */
  readonly forgets: boolean
  /** Whether it still forwards data. */
  isAlive(): Promise<boolean>
  /** Also closes open links if the proxy is ours. */
  close(): Promise<void>
}
