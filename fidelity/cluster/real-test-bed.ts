/** Six real servers on loopback addresses, each a process that is stopped by its pid. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeCommand, endingWithParent, RealConnection } from 'test-servers'
import { StoryServers } from '../story-servers.ts'
import {
  type ClusterTestBed,
  hostOf,
  type NodeName,
  nodeNames,
  nodesConf,
  nodesFile,
  nodeTimeoutMs,
} from './test-bed.ts'

export class RealClusterTestBed implements ClusterTestBed {
  private readonly folder = mkdtempSync(join(tmpdir(), 'cluster-fidelity-'))
  private readonly children = new Map<NodeName, ChildProcess>()
  private readonly processes = new StoryServers()
  readonly launchedMs = 0
  private startedMs = performance.now()

  private constructor(
    private readonly program: string,
    readonly port: number,
  ) {}

  static async start(program: string): Promise<RealClusterTestBed> {
    const testBed = new RealClusterTestBed(program, await freePort())
    try {
      for (const name of nodeNames) {
        mkdirSync(testBed.folderOf(name))
        writeFileSync(join(testBed.folderOf(name), 'nodes.conf'), nodesConf(nodesFile(name, testBed.port)))
      }
      testBed.startedMs = performance.now()
      await Promise.all(nodeNames.map((name) => testBed.launch(name)))
      return testBed
    } catch (error) {
      await testBed.stop()
      throw error
    }
  }

  private folderOf(name: NodeName): string {
    return join(this.folder, name)
  }

  private async launch(name: NodeName): Promise<void> {
    const host = hostOf(name)
    const options = {
      port: String(this.port),
      bind: host,
      'bind-source-addr': host,
      dir: this.folderOf(name),
      save: '',
      'cluster-enabled': 'yes',
      'cluster-config-file': 'nodes.conf',
      'cluster-announce-ip': host,
      'cluster-node-timeout': String(nodeTimeoutMs),
      'repl-diskless-sync-delay': '0',
      'protected-mode': 'no',
    }
    const words = Object.entries(options).flatMap(([option, value]) => [`--${option}`, value])
    const child = spawn(...endingWithParent(this.program, words), { stdio: ['ignore', 'pipe', 'ignore'] })
    this.children.set(name, child)
    this.processes.watch(name, child)
    await new Promise<void>((resolve, reject) => {
      child.stdout!.on('data', (text: Buffer) => text.includes('Ready to accept connections') && resolve())
      child.once('error', reject)
      child.once('exit', () => reject(new Error(`the node ${name} ended at once`)))
    })
  }

  nowMs(): number {
    return performance.now() - this.startedMs
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  async dawdle(): Promise<void> {}

  async ask(name: NodeName, ...commands: readonly (readonly string[])[]): Promise<string> {
    const connection = await RealConnection.open(hostOf(name), this.port)
    const bytes = await connection.exchange(commands.map(encodeCommand).join(''), commands.length)
    connection.destroy()
    return bytes
  }

  kill(name: NodeName): Promise<void> {
    return this.processes.kill(this.children.get(name)!)
  }

  async revive(name: NodeName): Promise<void> {
    await this.launch(name)
  }

  async pause(name: NodeName): Promise<void> {
    this.children.get(name)!.kill('SIGSTOP')
  }

  async resume(name: NodeName): Promise<void> {
    this.children.get(name)!.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    for (const child of this.children.values()) await this.processes.end(child)
    rmSync(this.folder, { recursive: true, force: true })
    this.processes.checkNoneIsGone()
  }
}

/** Free for clients, and for the bus above it, on all addresses of the test bed. */
async function freePort(): Promise<number> {
  for (let port = 21_000 + (process.pid % 9000); ; port++) {
    const free = await Promise.all(
      nodeNames.flatMap((name) => [isFree(hostOf(name), port), isFree(hostOf(name), port + 10_000)]),
    )
    if (free.every((one) => one)) return port
  }
}

function isFree(host: string, port: number): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
