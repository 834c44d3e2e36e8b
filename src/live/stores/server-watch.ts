/**
 * Whether server and proxy are still there: what dies mid-run makes faults of its own, which nobody
 * planned.
 */

import { LiveProblem } from '../environment/problem.ts'
import type { LiveTimers } from '../host/timers.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import type { LiveServer } from '../servers/live-server.ts'
import type { LiveSite } from './store-site.ts'

/** How often it is looked. */
const lookEveryMs = 500

/** What the harness's own connections to a server fail with when it is gone. */
const connectionEnded = /Connection is closed|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|max retries per request/i

/** @throws LiveProblem if it ended, and no fault ended it */
export async function mustLive(name: string, server: LiveServer): Promise<void> {
  if (server.up && (await server.machine.isAlive()) === false && server.up)
    throw new LiveProblem(name, 'it ended during the run; check its log and the free memory of the machine')
}

export class ServerWatch {
  constructor(
    /** Null where faults kill servers, and Sentinels watch them, or there is none. */
    private readonly server: LiveServer | null,
    private readonly proxy: LinkProxy,
    private readonly sites: readonly Pick<LiveSite, 'look'>[],
    private readonly timers: LiveTimers,
  ) {}

  /** Looks again and again, for as long as the timers go. */
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
   * What is to be told of an error of the harness's: where server or proxy are gone, it comes of
   * that.
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
