/** Several servers of one run, which act by themselves or follow a schedule. */
import type { StorePort } from '../../run/ports.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Standstill } from '../evidence/standstill.ts'
import type { ServerMachine } from '../servers/live-server.ts'
import type { Watched } from './redis-address.ts'

/** The servers in the form in which clients and the harness reach them. */
export interface SeveralDeployment extends Watched {
  readonly nodes: readonly {
    readonly name: string
    readonly machine: ServerMachine
    readonly announced: { readonly host: string; readonly port: number }
  }[]
  /** The server that accepts writes at the moment. */
  primary(): Promise<{ readonly machine: ServerMachine }>
}

export interface SeveralServers {
  readonly deployment: SeveralDeployment
  readonly store: StorePort
  /** Starts to listen to the servers. */
  open(): Promise<void>
  /** Called when the plan's time begins. */
  begin(): void | Promise<void>
  /**
   * The longest time in which no primary accepted a write, in milliseconds. Absent if the servers
   * follow a schedule.
   */
  readonly withoutPrimaryMs?: number
  /**
   * Called when a command with these arguments has changed data of that server. Absent if the
   * servers act by themselves.
   */
  wrote?(server: string, args: readonly string[]): Promise<void>
  /** The evidence of the server's last freeze. */
  standstillOf(server: string): Standstill
  /** The evidence for the servers that were just cut off. */
  cutOff(): Evidence
  /**
   * Checks the servers.
   * @throws LiveProblem if one ended without a fault
   */
  look(): Promise<void>
  /** Stops listening to the servers and starting them. The servers end with the run. */
  close(): Promise<void>
}
