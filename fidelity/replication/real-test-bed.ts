/** Real servers on loopback ports, each stopped by its pid, with a link between any two that can be cut. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeCommand, endingWithParent, freePort, RealConnection } from 'test-servers'
import { StoryServers } from '../story-servers.ts'
import { CutLink } from './cut-link.ts'
import type { Config, ReplicationTestBed, TestBedClient } from './test-bed.ts'

const host = '127.0.0.1'

interface Server {
  readonly port: number
  folder: string
  child: ChildProcess
  readonly clients: RealConnection[]
}

/** However this process ends, they end with it. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export class RealReplicationTestBed implements ReplicationTestBed {
  readonly kind = 'real'
  private readonly servers = new Map<string, Server>()
  /** By `replica primary`. */
  private readonly links = new Map<string, CutLink>()
  private readonly processes = new StoryServers()

  constructor(private readonly program: string) {}

  async start(name: string, config: Config = {}, follows?: string): Promise<void> {
    const port = await freePort()
    const folder = newFolder()
    this.servers.set(name, { port, folder, child: await this.launch(name, port, folder, config, follows), clients: [] })
  }

  async again(name: string, disk: 'kept' | 'lost', config: Config = {}, follows?: string): Promise<void> {
    const server = this.servers.get(name)!
    if (disk === 'lost') {
      rmSync(server.folder, { recursive: true })
      server.folder = newFolder()
    }
    server.child = await this.launch(name, server.port, server.folder, config, follows)
  }

  async kill(name: string): Promise<void> {
    const { child, clients } = this.servers.get(name)!
    for (const client of clients.splice(0)) client.destroy()
    await this.processes.kill(child)
  }

  async client(name: string): Promise<TestBedClient> {
    const server = this.servers.get(name)!
    const connection = await RealConnection.open(host, server.port)
    server.clients.push(connection)
    return {
      run: (...words) => connection.exchange(encodeCommand(words), 1),
      send: async (...words) => void (await connection.exchange(encodeCommand(words), 0)),
      receive: (replies) => connection.exchange('', replies),
    }
  }

  async follow(name: string, primary: string | null): Promise<string> {
    const to = primary === null ? ['NO', 'ONE'] : [host, String((await this.link(name, primary)).port)]
    return (await this.client(name)).run('REPLICAOF', ...to)
  }

  async cut(replica: string, primary: string): Promise<void> {
    ;(await this.link(replica, primary)).cut()
  }

  async heal(): Promise<void> {
    for (const link of this.links.values()) link.heal()
  }

  async freeze(name: string): Promise<void> {
    this.servers.get(name)!.child.kill('SIGSTOP')
  }

  async thaw(name: string): Promise<void> {
    this.servers.get(name)!.child.kill('SIGCONT')
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  async stop(): Promise<void> {
    for (const { child, clients, folder } of this.servers.values()) {
      for (const client of clients) client.destroy()
      await this.processes.end(child)
      rmSync(folder, { recursive: true, force: true })
    }
    for (const link of this.links.values()) await link.close()
    this.processes.checkNoneIsGone()
  }

  private async link(replica: string, primary: string): Promise<CutLink> {
    const key = `${replica} ${primary}`
    const known = this.links.get(key)
    if (known !== undefined) return known
    const link = await CutLink.open(this.servers.get(primary)!.port)
    this.links.set(key, link)
    return link
  }

  private async launch(
    name: string,
    port: number,
    folder: string,
    config: Config,
    follows: string | undefined,
  ): Promise<ChildProcess> {
    const given = Object.entries(config).flatMap(([parameter, value]) => [`--${parameter}`, ...value.split(' ')])
    const primary = follows === undefined ? [] : ['--replicaof', host, String((await this.link(name, follows)).port)]
    const options = [
      ...['--port', String(port), '--bind', host, '--dir', folder, '--daemonize', 'no'],
      ...['--repl-diskless-sync-delay', '0', ...('save' in config ? [] : ['--save', ''])],
      ...[...given, ...primary],
    ]
    const child = spawn(...endingWithParent(this.program, options), { stdio: ['ignore', 'pipe', 'inherit'] })
    running.add(child)
    this.processes.watch(name, child)
    child.once('exit', () => running.delete(child))
    await new Promise<void>((resolve, reject) => {
      let log = ''
      child.stdout!.on('data', (chunk: Buffer) => {
        log += chunk.toString()
        if (log.includes('Ready to accept connections')) resolve()
      })
      child.once('error', reject)
      child.once('exit', () => reject(new Error(`${name} ended at once:\n${log}`)))
    })
    return child
  }
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'replication-fidelity-'))
}
