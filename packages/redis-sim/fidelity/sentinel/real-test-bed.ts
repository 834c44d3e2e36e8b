/**
 * Three real Sentinels, a primary and two replicas on loopback ports. Each process is stopped by
 * its pid.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort, RedisServers } from 'test-servers'
import {
  type Heard,
  type MachineName,
  type Plain,
  type SentinelName,
  type SentinelTestBed,
  type Setting,
  sentinelNames,
  serverNames,
  withNames,
} from './test-bed.ts'

const host = '127.0.0.1'

export class RealSentinelTestBed implements SentinelTestBed {
  readonly heard: Heard[] = []
  private readonly folder = mkdtempSync(join(tmpdir(), 'sentinel-fidelity-'))
  private readonly ports = new Map<MachineName, number>()
  private readonly servers: RedisServers<MachineName>
  private readonly clients = new Map<MachineName, Redis>()
  private readonly listeners = new Map<MachineName, Redis>()
  private readonly names = new Map<string, MachineName>()
  private startedMs = performance.now()

  private constructor(
    program: string,
    private readonly setting: Setting,
  ) {
    this.servers = new RedisServers(program)
  }

  static async start(program: string, setting: Setting): Promise<RealSentinelTestBed> {
    const testBed = new RealSentinelTestBed(program, setting)
    try {
      await testBed.startAll()
    } catch (error) {
      await testBed.stop()
      throw error
    }
    return testBed
  }

  private async startAll(): Promise<void> {
    const machines = [...serverNames, ...sentinelNames]
    const ports = await Promise.all(machines.map(() => freePort()))
    machines.forEach((machine, at) => {
      const port = ports[at]!
      this.ports.set(machine, port)
      this.names.set(`${host} ${port}`, machine).set(`${host}:${port}`, machine)
      this.writeConfig(machine, port)
    })
    for (const machine of serverNames) await this.launch(machine)
    this.startedMs = performance.now()
    await Promise.all(sentinelNames.map((machine) => this.launch(machine)))
    for (const machine of sentinelNames) {
      this.names.set((await this.command(machine, 'SENTINEL', 'MYID')) as string, machine)
    }
  }

  nowMs(): number {
    return performance.now() - this.startedMs
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  async command(machine: MachineName, ...words: string[]): Promise<Plain> {
    const [name, ...rest] = words as [string, ...string[]]
    try {
      return (await this.clients.get(machine)!.call(name, ...rest)) as Plain
    } catch (error) {
      return { error: (error as Error).message }
    }
  }

  async kill(machine: MachineName): Promise<void> {
    this.hangUp(machine)
    await this.servers.of(machine).kill()
  }

  async revive(machine: MachineName): Promise<void> {
    await this.launch(machine)
  }

  async pause(machine: MachineName): Promise<void> {
    this.servers.of(machine).pause()
  }

  async resume(machine: MachineName): Promise<void> {
    this.servers.of(machine).resume()
  }

  async stop(): Promise<void> {
    for (const machine of this.clients.keys()) this.hangUp(machine)
    try {
      await this.servers.stop()
    } finally {
      rmSync(this.folder, { recursive: true, force: true })
    }
  }

  private writeConfig(machine: MachineName, port: number): void {
    const { priorities = {}, apart, downAfterMs, failoverTimeoutMs, quorum } = this.setting
    const lines = [`port ${port}`, `bind ${host}`, `dir ${this.folder}`, 'daemonize no']
    const primary = this.ports.get('P')!
    if (isSentinel(machine)) {
      lines.push(
        `sentinel monitor mymaster ${host} ${primary} ${quorum}`,
        `sentinel down-after-milliseconds mymaster ${downAfterMs}`,
        `sentinel failover-timeout mymaster ${failoverTimeoutMs}`,
      )
    } else {
      lines.push(
        'save ""',
        'appendonly no',
        'repl-diskless-sync-delay 0',
        `replica-priority ${priorities[machine] ?? 100}`,
      )
      if (machine !== 'P' && machine !== apart) lines.push(`replicaof ${host} ${primary}`)
    }
    writeFileSync(this.file(machine), `${lines.join('\n')}\n`)
  }

  private file(machine: MachineName): string {
    return join(this.folder, `${machine}.conf`)
  }

  private async launch(machine: MachineName): Promise<void> {
    const commandLine = [this.file(machine), ...(isSentinel(machine) ? ['--sentinel'] : [])]
    await this.servers.start(machine, [], { port: this.ports.get(machine)!, folder: this.folder, commandLine })
    const options = {
      port: this.ports.get(machine)!,
      host,
      protocol: 2,
      retryStrategy: () => 20,
      disableClientInfo: true,
      enableReadyCheck: false,
    } as const
    const client = new Redis(options)
    client.on('error', () => {})
    this.clients.set(machine, client)
    await client.call('PING')
    if (isSentinel(machine)) await this.listen(machine, new Redis(options))
  }

  private async listen(machine: SentinelName, listener: Redis): Promise<void> {
    listener.on('error', () => {})
    this.listeners.set(machine, listener)
    listener.on('pmessage', (_pattern, type: string, message: string) => {
      this.heard.push({ atMs: this.nowMs(), by: machine, type, message })
    })
    await listener.psubscribe('*')
  }

  /** The events, with all addresses that are known now replaced by names. */
  named(): Heard[] {
    return this.heard.map((one) => ({ ...one, message: withNames(one.message, this.names) }))
  }

  private hangUp(machine: MachineName): void {
    this.clients.get(machine)?.disconnect()
    this.listeners.get(machine)?.disconnect()
  }
}

function isSentinel(machine: MachineName): machine is SentinelName {
  return machine.startsWith('S')
}
