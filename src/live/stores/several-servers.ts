/** Several servers of one run. They fail over by themselves, or keep to a schedule. */
import type { StorePort } from '../../run/ports.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Standstill } from '../evidence/standstill.ts'
import type { ServerMachine } from '../servers/live-server.ts'
import type { Watched } from './redis-address.ts'

/** As clients and the harness reach them. */
export interface SeveralDeployment extends Watched {
  readonly nodes: readonly {
    readonly name: string
    readonly machine: ServerMachine
    readonly announced: { readonly host: string; readonly port: number }
  }[]
  /** The server that takes writes at the moment. */
  primary(): Promise<{ readonly machine: ServerMachine }>
}

export interface SeveralServers {
  readonly deployment: SeveralDeployment
  readonly store: StorePort
  /** From now on what they do is heard. */
  open(): Promise<void>
  /** The plan's time begins. */
  begin(): void | Promise<void>
  /** The longest stretch in which no primary took a write; absent if they are held. */
  readonly withoutPrimaryMs?: number
  /** A command of these words has changed data of that server; absent if they are left alone. */
  wrote?(server: string, args: readonly string[]): Promise<void>
  /** Of the last time that the server was to stand still. */
  standstillOf(server: string): Standstill
  /** Of the servers that have been cut off just now. */
  cutOff(): Evidence
  /** @throws LiveProblem where one ended, and no fault ended it */
  look(): Promise<void>
  /**
   * What is heard of them is heard no more, and none is started any more; they are ended with the
   * run's servers.
   */
  close(): Promise<void>
}
