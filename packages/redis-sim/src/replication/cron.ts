import type { RedisServer } from '../server.ts'

const secondUs = 1_000_000

/**
 * Calls `tick` at every whole second since the start of a replicating server (primary or replica),
 * as in real Redis, but only while there is something to do. It uses background timers, which do
 * not count as pending work.
 */
export class Cron {
  private cancel: (() => void) | null = null

  constructor(
    private readonly server: RedisServer,
    /** Returns false if there is nothing left to do. */
    private readonly tick: (second: number) => boolean,
  ) {}

  wake(): void {
    if (this.cancel !== null) return
    const sinceUs = this.server.environment.nowUs() - this.server.startedMs * 1000
    const second = Math.floor(sinceUs / secondUs) + 1
    this.sleep(second * secondUs - sinceUs, second)
  }

  private sleep(delayUs: number, second: number): void {
    this.cancel = this.server.after(
      delayUs,
      () => {
        this.cancel = null
        if (this.tick(second)) this.sleep(secondUs, second + 1)
      },
      true,
    )
  }
}
