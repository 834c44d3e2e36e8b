/** The simulated Cluster, in virtual time. */
import { type ClusterName, clusterHost, clusterNames, clusterTimeoutMs, encodeCommand } from 'test-servers'
import type { NodesFile } from '../../src/cluster/nodes-file.ts'
import { RedisServer } from '../../src/server.ts'
import { Lab, LabMachine } from '../sentinel/lab.ts'
import { type ClusterTestBed, nodesFile } from './test-bed.ts'

export class SimulatedClusterTestBed implements ClusterTestBed {
  readonly lab = new Lab()
  private readonly machines = new Map<ClusterName, LabMachine>()
  private readonly saved = new Map<ClusterName, NodesFile>()
  readonly launchedMs = 0
  private readonly startedMs = this.lab.nowMs

  /** `seed` varies the run, because real runs also vary by chance. */
  constructor(
    port: number,
    private readonly seed: number,
  ) {
    const config = { port, clusterEnabled: true, clusterNodeTimeout: clusterTimeoutMs, replDisklessSyncDelay: 0 }
    for (const name of clusterNames) {
      const start = (on: LabMachine) =>
        new RedisServer(on, config, { nodes: this.saved.get(name) ?? nodesFile(name, port) })
      this.machines.set(name, new LabMachine(this.lab, clusterHost(name), start, seed))
    }
  }

  nowMs(): number {
    return this.lab.nowMs - this.startedMs
  }

  async wait(ms: number): Promise<void> {
    this.lab.pass(ms)
  }

  async dawdle(): Promise<void> {
    this.lab.pass((this.seed * 71) % 1000)
  }

  async ask(name: ClusterName, ...commands: readonly (readonly string[])[]): Promise<string> {
    let bytes = ''
    const { server } = this.machines.get(name)!
    const connection = server!.connect({ write: (more) => (bytes += more), close: () => {} })
    for (const command of commands) connection.receive(encodeCommand(command))
    connection.close()
    return bytes
  }

  async kill(name: ClusterName): Promise<void> {
    const machine = this.machines.get(name)!
    this.saved.set(name, machine.server!.cluster!.saved)
    machine.die()
  }

  async revive(name: ClusterName): Promise<void> {
    this.machines.get(name)!.revive()
  }

  async pause(name: ClusterName): Promise<void> {
    this.machines.get(name)!.pause()
  }

  async resume(name: ClusterName): Promise<void> {
    this.machines.get(name)!.resume()
  }

  async stop(): Promise<void> {}
}
