/** The servers of one run that Sentinels watch. */

import { type Evidence, refuted, seen } from '../evidence/evidence.ts'
import type { LiveRecorder } from '../host/recorder.ts'
import { answersAt } from '../servers/answers.ts'
import type { SentinelDeployment } from '../servers/sentinel-deployment.ts'
import { records } from './lost-records.ts'
import { SentinelStore } from './sentinel-store.ts'
import type { SeveralServers } from './several-servers.ts'

export class SentinelServers implements SeveralServers {
  readonly store: SentinelStore

  constructor(
    readonly deployment: SentinelDeployment,
    private readonly recorder: LiveRecorder,
  ) {
    this.store = new SentinelStore(deployment, recorder, records)
  }

  open(): Promise<void> {
    return this.deployment.onSwitch((node, other) => {
      this.store.promoted(node)
      const sentence = `the Sentinels announce ${node} as the primary instead of ${other}`
      this.recorder.fact({ type: 'topology', node, what: 'promoted', other, sentence })
    })
  }

  begin(): void {
    this.deployment.startProbing()
  }

  get withoutPrimaryMs(): number {
    return this.deployment.withoutPrimaryMs
  }

  standstillOf(server: string): never {
    throw new Error(`${server} cannot be stalled: such faults are not armed`)
  }

  /**
   * The other servers reach the primary by its link. The store determines which server is the
   * primary, so one unreachable link is enough.
   */
  cutOff(): Evidence {
    const reached = Promise.all(this.deployment.nodes.map(({ link }) => link === null || answersAt(link.port)))
    return async () => ((await reached).every(Boolean) ? refuted('every server is still reached by the others') : seen)
  }

  /** Does nothing, because the Sentinels watch the servers. */
  async look(): Promise<void> {}

  async close(): Promise<void> {
    this.store.close()
  }
}
