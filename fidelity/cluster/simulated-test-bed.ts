/** The same Cluster, simulated, in virtual time. */
import { encodeCommand } from 'test-servers'
import type { NodesFile } from '../../src/sim/redis/cluster/nodes-file.ts'
import { RedisServer } from '../../src/sim/redis/server.ts'
import { Lab, LabMachine } from '../sentinel/lab.ts'
import { type ClusterTestBed, hostOf, type NodeName, nodeNames, nodesFile, nodeTimeoutMs } from './test-bed.ts'

export class SimulatedClusterTestBed implements ClusterTestBed {
  readonly lab = new Lab()
  private readonly machines = new Map<NodeName, LabMachine>()
  private readonly saved = new Map<NodeName, NodesFile>()
  readonly launchedMs = 0
  private readonly startedMs = this.lab.nowMs

  /** `seed` stands for the chance that makes one real run differ from another. */
  constructor(
    port: number,
    private readonly seed: number,
  ) {
    const config = { port, clusterEnabled: true, clusterNodeTimeout: nodeTimeoutMs, replDisklessSyncDelay: 0 }
    for (const name of nodeNames) {
      const start = (on: LabMachine) =>
        new RedisServer(on, config, { nodes: this.saved.get(name) ?? nodesFile(name, port) })
      this.machines.set(name, new LabMachine(this.lab, hostOf(name), start, seed))
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

  async ask(name: NodeName, ...commands: readonly (readonly string[])[]): Promise<string> {
    let bytes = ''
    const { server } = this.machines.get(name)!
    const connection = server!.connect({ write: (more) => (bytes += more), close: () => {} })
    for (const command of commands) connection.receive(encodeCommand(command))
    connection.close()
    return bytes
  }

  async kill(name: NodeName): Promise<void> {
    const machine = this.machines.get(name)!
    this.saved.set(name, machine.server!.cluster!.saved)
    machine.die()
  }

  async revive(name: NodeName): Promise<void> {
    this.machines.get(name)!.revive()
  }

  async pause(name: NodeName): Promise<void> {
    this.machines.get(name)!.pause()
  }

  async resume(name: NodeName): Promise<void> {
    this.machines.get(name)!.resume()
  }

  async stop(): Promise<void> {}
}
