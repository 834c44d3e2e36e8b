/** Several servers of one run. They act on their own, or follow a schedule. */
import type { StorePort } from '../../run/ports.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Standstill } from '../evidence/standstill.ts'
import type { ServerMachine } from '../servers/live-server.ts'
import type { Watched } from './redis-address.ts'

/** The servers as clients and the harness reach them. */
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
  /** Starts to listen to them. */
  open(): Promise<void>
  /** The plan's time begins. */
  begin(): void | Promise<void>
  /**
   * The longest time in which no primary took a write, in milliseconds; absent if they follow a
   * schedule.
   */
  readonly withoutPrimaryMs?: number
  /**
   * A command with these arguments has changed data of that server; absent if they act on their
   * own.
   */
  wrote?(server: string, args: readonly string[]): Promise<void>
  /** The evidence of the server's last freeze. */
  standstillOf(server: string): Standstill
  /** The evidence for the servers that were just cut off. */
  cutOff(): Evidence
  /** @throws LiveProblem if one ended without a fault */
  look(): Promise<void>
  /** Stops listening to them and starting them. They end with the run's servers. */
  close(): Promise<void>
}
