/** A proxy that links are opened through. */
import type { ProxiedLink } from './proxied-link.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface LinkProxy {
  /** `Toxiproxy 2.12.0`, for the first line of a command. */
  readonly about: string
  /** `name`: no other open link has it. @throws LiveProblem where a Toxiproxy refuses it */
  openLink(name: string, to: Address): Promise<ProxiedLink>
  /**
   * Whether its links part the connections that there are from those that come:
   * `ProxiedLink.connections`.
   */
  readonly forgets: boolean
  /** Whether it still carries bytes. */
  isAlive(): Promise<boolean>
  /** Links that are still open are closed with a proxy that is ours. */
  close(): Promise<void>
}
