/**
 * Checks that servers and proxies are still running. If one of them ends during a run, it causes
 * unplanned faults.
 */

import { LiveProblem } from '../environment/problem.ts'
import type { LiveTimers } from '../host/timers.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import type { LiveServer } from '../servers/live-server.ts'
import type { LiveSite } from './store-site.ts'

/** The polling interval. */
const lookEveryMs = 500

/** Matches errors of the harness's connections to a server that is gone. */
const connectionEnded = /Connection is closed|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|max retries per request/i

/**
 * Checks the server.
 * @throws LiveProblem if it ended without a fault
 */
export async function mustLive(name: string, server: LiveServer): Promise<void> {
  if (server.up && (await server.machine.isAlive()) === false && server.up)
    throw new LiveProblem(name, 'it ended during the run; check its log and the free memory of the machine')
}

export class ServerWatch {
  constructor(
    /**
     * The server to watch; null if the run has no server, or if faults may kill it because
     * Sentinels watch several servers.
     */
    private readonly server: LiveServer | null,
    private readonly proxy: LinkProxy,
    private readonly sites: readonly Pick<LiveSite, 'look'>[],
    private readonly timers: LiveTimers,
  ) {}

  /** Polls while the timers run. */
  start(): void {
    this.timers.after(lookEveryMs, async () => {
      await this.look()
      this.start()
    })
  }

  /**
   * Checks the servers and the proxy.
   * @throws LiveProblem
   */
  async look(): Promise<void> {
    const { server } = this
    if (server !== null) await mustLive('the Redis server', server)
    for (const site of this.sites) await site.look()
    if (!(await this.proxy.isAlive()))
      throw new LiveProblem('the proxy', 'it no longer answers; start it again, or choose --proxy builtin')
  }

  /**
   * The error to report. If a server or the proxy is gone, that is the cause, and is reported
   * instead of an internal error.
   */
  async blame(error: unknown): Promise<unknown> {
    try {
      await this.look()
    } catch (problem) {
      return problem
    }
    const text = error instanceof Error ? error.message : String(error)
    if (!connectionEnded.test(text)) return error
    return new LiveProblem('a server', `it no longer answers (${text}); check its log`)
  }
}
