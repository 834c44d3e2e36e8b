/** The simulated deployment, in virtual time. */
import type { RedisConfig } from '../../src/config.ts'
import { Sentinel } from '../../src/sentinel/sentinel.ts'
import { RedisServer } from '../../src/server.ts'
import { ClientOfTestBed } from './client-of-test-bed.ts'
import { Lab, LabMachine } from './lab.ts'
import {
  type Heard,
  type MachineName,
  type Plain,
  type SentinelName,
  type SentinelTestBed,
  type ServerName,
  type Setting,
  sentinelNames,
  serverNames,
  withNames,
} from './test-bed.ts'

const hosts: Readonly<Record<MachineName, string>> = {
  P: '10.0.0.1',
  R1: '10.0.0.2',
  R2: '10.0.0.3',
  S1: '10.0.1.1',
  S2: '10.0.1.2',
  S3: '10.0.1.3',
}
const ports = { server: 6379, sentinel: 26379 }

export class SimulatedSentinelTestBed implements SentinelTestBed {
  readonly lab: Lab
  readonly heard: Heard[] = []
  private readonly machines = new Map<MachineName, LabMachine>()
  private readonly names = new Map<string, MachineName>()
  private readonly saved = new Map<MachineName, () => RedisServer>()
  private readonly startedMs: number

  /** `seed` varies the run, because real runs also vary by chance. */
  constructor(setting: Setting, seed: number) {
    // The latency is up to 10 ms: loopback has no latency, but a real Sentinel writes its file to
    // disk before it votes.
    this.lab = new Lab((from, to) => 100 + (hash(`${from}>${to}`, seed) % 10_000))
    this.startedMs = this.lab.nowMs
    for (const machine of serverNames) {
      this.names.set(`${hosts[machine]} ${ports.server}`, machine).set(`${hosts[machine]}:${ports.server}`, machine)
      this.put(machine, seed, (on) => new RedisServer(on, serverConfig(machine, setting)))
    }
    // The Sentinels start at different times, because real processes take different times to start.
    this.lab.pass(1000)
    for (const machine of sentinelNames) {
      const address = `${hosts[machine]} ${ports.sentinel}`
      this.lab.pass((seed * 7919 + machine.charCodeAt(1) * 104729) % 400)
      const { server } = this.put(machine, seed, (on) => this.sentinelOn(on, machine, setting))
      this.names.set(address, machine).set((server as Sentinel).id, machine)
    }
  }

  private put(machine: MachineName, seed: number, start: (on: LabMachine) => RedisServer): LabMachine {
    const made = new LabMachine(this.lab, hosts[machine], start, seed)
    this.machines.set(machine, made)
    return made
  }

  private sentinelOn(on: LabMachine, by: SentinelName, setting: Setting): Sentinel {
    const { downAfterMs, failoverTimeoutMs, quorum } = setting
    const monitor = { name: 'mymaster', host: hosts.P, port: ports.server, quorum, downAfterMs, failoverTimeoutMs }
    return new Sentinel(on, { port: ports.sentinel, monitors: [monitor] }, this.listener(by))
  }

  private listener(by: SentinelName) {
    return (type: string, message: string) => this.heard.push({ atMs: this.nowMs(), by, type, message })
  }

  nowMs(): number {
    return this.lab.nowMs - this.startedMs
  }

  async wait(ms: number): Promise<void> {
    this.lab.pass(ms)
  }

  async command(machine: MachineName, ...words: string[]): Promise<Plain> {
    return new ClientOfTestBed(this.machines.get(machine)!.server!).run(words)
  }

  async kill(machine: MachineName): Promise<void> {
    const made = this.machines.get(machine)!
    const { server } = made
    if (server instanceof Sentinel) {
      const { saved } = server
      this.saved.set(machine, () => new Sentinel(made, saved, this.listener(machine as SentinelName)))
    } else {
      const { savedConfig } = server!
      this.saved.set(machine, () => new RedisServer(made, savedConfig))
    }
    made.die()
  }

  async revive(machine: MachineName): Promise<void> {
    this.machines.get(machine)!.revive(this.saved.get(machine)!)
  }

  async pause(machine: MachineName): Promise<void> {
    this.machines.get(machine)!.pause()
  }

  async resume(machine: MachineName): Promise<void> {
    this.machines.get(machine)!.resume()
  }

  async stop(): Promise<void> {}

  named(): Heard[] {
    return this.heard.map((one) => ({ ...one, message: withNames(one.message, this.names) }))
  }
}

function serverConfig(machine: ServerName, { priorities = {}, apart }: Setting): Partial<RedisConfig> {
  const replicaof = machine === 'P' || machine === apart ? '' : `${hosts.P} ${ports.server}`
  return { port: ports.server, replicaof, replicaPriority: priorities[machine] ?? 100, replDisklessSyncDelay: 0 }
}

function hash(text: string, seed: number): number {
  let sum = seed + 1
  for (const char of text) sum = (Math.imul(sum, 31) + char.charCodeAt(0)) >>> 0
  return Math.imul(sum, 2654435761) >>> 8
}
