import { ServerGone } from '../server-gone.ts'
import { type RedisProcess, type RedisStart, startRedis } from './process.ts'

/** Real Redis servers by name. */
export class RedisServers<Name extends string = string> {
  readonly #servers = new Map<Name, RedisProcess>()

  constructor(private readonly program: string) {}

  /**
   * Starts or restarts a server.
   * @throws Error if the server ends at once
   */
  async start(name: Name, more?: readonly string[], how?: RedisStart): Promise<RedisProcess> {
    const server = await startRedis(this.program, more, how)
    this.#servers.set(name, server)
    return server
  }

  of(name: Name): RedisProcess {
    return this.#servers.get(name)!
  }

  /**
   * Stops all servers. Resolves when all have ended.
   * @throws ServerGone if one had ended by itself
   */
  async stop(): Promise<void> {
    for (const server of this.#servers.values()) await server.stop()
    for (const [name, { endedByItself }] of this.#servers)
      if (endedByItself !== null) throw new ServerGone(`the real server ${name} ended by itself (${endedByItself})`)
  }
}
