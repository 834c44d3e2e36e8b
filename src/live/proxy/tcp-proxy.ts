import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { formatAddress, parseAddress, resolveListen } from './address.ts'
import { errors } from './api-error.ts'
import { Connection } from './connection.ts'
import type { Link } from './link.ts'
import { changeToxic, type Direction, parseToxic, type Toxic, toxicJson } from './toxic.ts'
import type { Random } from './toxics/kind.ts'

/** What can be changed of a proxy. */
export interface ProxyFields {
  readonly listen: string
  readonly upstream: string
  readonly enabled: boolean
}

/** One address that is listened on for one upstream server, and the toxics between the two. */
export class TcpProxy {
  enabled = false
  private toxics: Toxic[] = []
  private server: Server | null = null
  private readonly connections = new Set<Connection>()

  constructor(
    readonly name: string,
    public listen: string,
    public upstream: string,
    private readonly random: Random,
  ) {}

  /** Rejects with what the machine says of the address: EADDRINUSE, ENOTFOUND, … */
  async start(): Promise<void> {
    if (this.enabled) return
    const address = await resolveListen(this.listen)
    const upstream = parseAddress(this.upstream)
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) =>
      this.connections.add(
        new Connection(
          client,
          upstream,
          () => this.toxics,
          this.random,
          (one) => this.connections.delete(one),
        ),
      ),
    )
    server.listen(address)
    await once(server, 'listening')
    const { address: host, port } = server.address() as AddressInfo
    this.listen = formatAddress({ host, port })
    this.server = server
    this.enabled = true
  }

  /** Stops listening and destroys every connection. Toxics stay. */
  async stop(): Promise<void> {
    this.enabled = false
    const { server } = this
    if (server === null) return
    this.server = null
    const closed = once(server, 'close')
    server.close()
    for (const connection of this.connections) connection.destroy()
    await closed
  }

  async differsFrom({ listen, upstream }: Pick<ProxyFields, 'listen' | 'upstream'>): Promise<boolean> {
    return this.listen !== formatAddress(await resolveListen(listen)) || this.upstream !== upstream
  }

  async update(fields: ProxyFields): Promise<void> {
    if (await this.differsFrom(fields)) {
      await this.stop()
      this.listen = fields.listen
      this.upstream = fields.upstream
    }
    if (fields.enabled) await this.start()
    else await this.stop()
  }

  addToxic(body: Readonly<Record<string, unknown>>): Toxic {
    const toxic = parseToxic(body, (name) => this.toxics.some((one) => one.name === name))
    this.toxics.push(toxic)
    for (const link of this.links(toxic.direction)) link.add(toxic)
    return toxic
  }

  async updateToxic(name: string, body: Readonly<Record<string, unknown>>): Promise<Toxic> {
    const toxic = this.toxic(name)
    changeToxic(toxic, body)
    await Promise.all(this.links(toxic.direction).map((link) => link.update(toxic)))
    return toxic
  }

  async removeToxic(name: string): Promise<void> {
    const toxic = this.toxic(name)
    this.toxics = this.toxics.filter((one) => one !== toxic)
    await Promise.all(this.links(toxic.direction).map((link) => link.remove(toxic)))
  }

  async removeAllToxics(): Promise<void> {
    for (const toxic of this.sortedToxics()) await this.removeToxic(toxic.name)
  }

  /** Throws `ApiError`. */
  toxic(name: string): Toxic {
    const toxic = this.toxics.find((one) => one.name === name)
    if (toxic === undefined) throw errors.toxicNotFound()
    return toxic
  }

  toxicsJson(): object[] {
    return this.sortedToxics().map(toxicJson)
  }

  json(): object {
    const { name, listen, upstream, enabled } = this
    return { name, listen, upstream, enabled, toxics: this.toxicsJson() }
  }

  /** Those of what clients send first; within a direction, in the order in which bytes meet them. */
  private sortedToxics(): Toxic[] {
    return (['upstream', 'downstream'] as const).flatMap((direction) =>
      this.toxics.filter((toxic) => toxic.direction === direction),
    )
  }

  private links(direction: Direction): Link[] {
    return [...this.connections].map((one) => one.link(direction)).filter((link) => link !== undefined)
  }
}
