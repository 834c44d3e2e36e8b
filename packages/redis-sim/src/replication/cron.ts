import type { RedisServer } from '../server.ts'

const secondUs = 1_000_000

/**
 * What a server does once a second while it replicates, in either role: at whole seconds since its
 * start, as real Redis does, but only while there is somebody to do it for. Its timer is announced
 * as one that says nothing of work left.
 */
export class Cron {
  private cancel: (() => void) | null = null

  constructor(
    private readonly server: RedisServer,
    /** False: nothing to do any more. */
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
