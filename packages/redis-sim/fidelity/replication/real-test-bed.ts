/**
 * Real servers on loopback ports. Each server is stopped by its pid. A replica reaches its primary
 * through a link that can be cut.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeCommand, freePort, RealConnection, RedisServers } from 'test-servers'
import { CutLink } from './cut-link.ts'
import type { Config, ReplicationTestBed, TestBedClient } from './test-bed.ts'

const host = '127.0.0.1'

interface Server {
  readonly port: number
  folder: string
  readonly clients: RealConnection[]
}

export class RealReplicationTestBed implements ReplicationTestBed {
  readonly kind = 'real'
  private readonly servers = new Map<string, Server>()
  /** Links by the text `replica primary`. */
  private readonly links = new Map<string, CutLink>()
  private readonly processes: RedisServers

  constructor(program: string) {
    this.processes = new RedisServers(program)
  }

  async start(name: string, config: Config = {}, follows?: string): Promise<void> {
    const port = await freePort()
    const folder = newFolder()
    this.servers.set(name, { port, folder, clients: [] })
    await this.launch(name, config, follows)
  }

  async again(name: string, disk: 'kept' | 'lost', config: Config = {}, follows?: string): Promise<void> {
    const server = this.servers.get(name)!
    if (disk === 'lost') {
      rmSync(server.folder, { recursive: true })
      server.folder = newFolder()
    }
    await this.launch(name, config, follows)
  }

  async kill(name: string): Promise<void> {
    for (const client of this.servers.get(name)!.clients.splice(0)) client.destroy()
    await this.processes.of(name).kill()
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
    this.processes.of(name).pause()
  }

  async thaw(name: string): Promise<void> {
    this.processes.of(name).resume()
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  async stop(): Promise<void> {
    const servers = [...this.servers.values()]
    for (const client of servers.flatMap(({ clients }) => clients)) client.destroy()
    for (const link of this.links.values()) await link.close()
    try {
      await this.processes.stop()
    } finally {
      for (const { folder } of servers) rmSync(folder, { recursive: true, force: true })
    }
  }

  private async link(replica: string, primary: string): Promise<CutLink> {
    const key = `${replica} ${primary}`
    const known = this.links.get(key)
    if (known !== undefined) return known
    const link = await CutLink.open(this.servers.get(primary)!.port)
    this.links.set(key, link)
    return link
  }

  private async launch(name: string, config: Config, follows: string | undefined): Promise<void> {
    const { port, folder } = this.servers.get(name)!
    const given = Object.entries(config).flatMap(([parameter, value]) => [`--${parameter}`, ...value.split(' ')])
    const primary = follows === undefined ? [] : ['--replicaof', host, String((await this.link(name, follows)).port)]
    await this.processes.start(name, ['--repl-diskless-sync-delay', '0', ...given, ...primary], { port, folder })
  }
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'replication-fidelity-'))
}
