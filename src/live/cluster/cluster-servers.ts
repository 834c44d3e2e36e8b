/** The nodes of a Cluster in a run in which the nodes act by themselves. */

import type { Evidence } from '../evidence/evidence.ts'
import type { Standstill } from '../evidence/standstill.ts'
import type { LiveRecorder } from '../host/recorder.ts'
import type { SeveralServers } from '../stores/several-servers.ts'
import { ClusterProbe } from './cluster-probe.ts'
import { ClusterRoles } from './cluster-roles.ts'
import { ClusterStore } from './cluster-store.ts'
import { KeyEvents } from './key-events.ts'
import type { LiveCluster } from './live-cluster.ts'

interface ClusterSetting {
  readonly recorder: LiveRecorder
  /** Called when a node found that the key has expired. */
  expired(node: string, key: string): void
  /** Cuts the consumers off from the nodes, or reconnects them. */
  cutConsumers(nodes: readonly string[], on: boolean): Promise<void>
  failed(error: unknown): void
}

export class ClusterServers implements SeveralServers {
  readonly store: ClusterStore
  readonly #roles: ClusterRoles
  readonly #events = new KeyEvents()
  readonly #probe = new ClusterProbe()
  #hearNoMore: () => void = () => {}

  constructor(
    readonly deployment: LiveCluster,
    private readonly setting: ClusterSetting,
  ) {
    const { recorder, cutConsumers, failed } = setting
    this.#roles = new ClusterRoles(deployment, recorder, failed)
    this.store = new ClusterStore({ cluster: deployment, roles: this.#roles, cutConsumers })
  }

  async open(): Promise<void> {
    this.#hearNoMore = this.deployment.listen(this.#roles)
    await this.#probe.open(this.deployment.shards)
    await this.#events.open(this.deployment.nodes, (node, event, key) => {
      if (event === 'expired') this.setting.expired(node.name, key)
      this.#roles.changed(node, event, key)
    })
  }

  begin(): void {
    this.#probe.start()
  }

  get withoutPrimaryMs(): number {
    return this.#probe.withoutPrimaryMs
  }

  standstillOf(server: string): Standstill {
    return this.store.standstillOf(server)
  }

  cutOff(): Evidence {
    const watch = this.store.lastCut
    return () => watch.look()
  }

  look(): Promise<void> {
    return this.store.look()
  }

  async close(): Promise<void> {
    const started = this.store.close()
    this.#hearNoMore()
    this.#events.close()
    await this.#probe.stop()
    await started
  }
}
