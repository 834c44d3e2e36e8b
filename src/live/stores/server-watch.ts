/**
 * Checks that servers and proxy are still running. If one dies during a run, it causes unplanned
 * faults.
 */

import { LiveProblem } from '../environment/problem.ts'
import type { LiveTimers } from '../host/timers.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import type { LiveServer } from '../servers/live-server.ts'
import type { LiveSite } from './store-site.ts'

/** The polling interval. */
const lookEveryMs = 500

/** Errors of the harness's connections to a server that is gone. */
const connectionEnded = /Connection is closed|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|max retries per request/i

/** @throws LiveProblem if it ended without a fault */
export async function mustLive(name: string, server: LiveServer): Promise<void> {
  if (server.up && (await server.machine.isAlive()) === false && server.up)
    throw new LiveProblem(name, 'it ended during the run; check its log and the free memory of the machine')
}

export class ServerWatch {
  constructor(
    /** Null if there is no server, or if faults kill servers that Sentinels watch. */
    private readonly server: LiveServer | null,
    private readonly proxy: LinkProxy,
    private readonly sites: readonly Pick<LiveSite, 'look'>[],
    private readonly timers: LiveTimers,
  ) {}

  /** Polls for as long as the timers run. */
  start(): void {
    this.timers.after(lookEveryMs, async () => {
      await this.look()
      this.start()
    })
  }

  /** @throws LiveProblem */
  async look(): Promise<void> {
    const { server } = this
    if (server !== null) await mustLive('the Redis server', server)
    for (const site of this.sites) await site.look()
    if (!(await this.proxy.isAlive()))
      throw new LiveProblem('the proxy', 'it no longer answers; start it again, or choose --proxy builtin')
  }

  /**
   * The error to report instead of an internal error: if server or proxy are gone, that is the
   * cause.
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
