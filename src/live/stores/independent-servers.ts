/** Several servers of one run that do not know each other. */
import type { StoreAction } from '../../run/actions.ts'
import { independentName } from '../../run/independent-servers.ts'
import type { StorePort } from '../../run/ports.ts'
import type { Standstill } from '../evidence/standstill.ts'
import type { LiveRecorder } from '../host/recorder.ts'
import type { LiveServer } from '../servers/live-server.ts'
import { mustLive } from './server-watch.ts'
import type { SeveralDeployment, SeveralServers } from './several-servers.ts'
import { SingleServerStore } from './single-server-store.ts'

export class IndependentServers implements SeveralServers {
  readonly deployment: SeveralDeployment
  readonly store: StorePort
  readonly #servers: ReadonlyMap<string, LiveServer>

  constructor(servers: readonly LiveServer[], recorder: LiveRecorder) {
    const named = servers.map((server, at) => [independentName(at + 1), server] as const)
    this.#servers = new Map(named)
    this.deployment = {
      independent: servers,
      nodes: named.map(([name, { machine }]) => ({ name, machine, announced: machine })),
      sentinels: [],
      primary: async () => servers[0]!,
    }
    const stores = new Map(
      named.map(([name, server]) => [name, new SingleServerStore(server, recorder, () => {}, name)] as const),
    )
    this.store = {
      get machines() {
        return [...stores.values()].map(({ primary }) => primary)
      },
      get primary() {
        return stores.get(independentName(1))!.primary
      },
      carryOut: (action: StoreAction) =>
        'machine' in action ? (stores.get(action.machine)?.carryOut(action) ?? false) : false,
    }
  }

  async open(): Promise<void> {
    for (const server of this.#servers.values()) await server.recordExpired()
  }

  begin(): void {}

  standstillOf(name: string): Standstill {
    return this.#servers.get(name)!.standstill
  }

  cutOff(): never {
    throw new Error('independent servers are not cut off from each other: such faults are not armed')
  }

  async look(): Promise<void> {
    for (const [name, server] of this.#servers) await mustLive(name, server)
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) server.close()
  }
}
