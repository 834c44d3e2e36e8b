/** Whether server and proxy are still there: what dies mid-run makes faults of its own, which nobody planned. */

import { LiveProblem } from './problem.ts'
import type { LinkProxy } from './proxy/link-proxy.ts'
import type { LiveServer } from './servers/live-server.ts'
import type { LiveTimers } from './timers.ts'

/** How often it is looked. */
const lookEveryMs = 500

export class ServerWatch {
  constructor(
    /** Null where faults kill servers, and Sentinels watch them. */
    private readonly server: LiveServer | null,
    private readonly proxy: LinkProxy,
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
    const gone = (await this.server?.machine.isAlive?.()) === false
    if (gone && this.server?.up)
      throw new LiveProblem(
        'redis-server',
        'it ended in the middle of the run; see whether the machine has memory left',
      )
    if (!(await this.proxy.isAlive()))
      throw new LiveProblem('the proxy', 'it no longer answers; start it again, or choose --proxy builtin')
  }
}
