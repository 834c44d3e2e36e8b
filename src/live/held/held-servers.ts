import { type Evidence, seen } from '../evidence/evidence.ts'
import type { Standstill } from '../evidence/standstill.ts'
import type { LiveServer } from '../servers/live-server.ts'
import type { SeveralServers } from '../stores/several-servers.ts'
import type { HeldDeployment } from './held-deployment.ts'
import type { HeldSteps } from './held-steps.ts'
import type { HeldStore } from './held-store.ts'

/** Several servers that follow a schedule. */
export class HeldServers implements SeveralServers {
  constructor(
    readonly deployment: HeldDeployment,
    readonly store: HeldStore,
    private readonly steps: HeldSteps,
    private readonly first: LiveServer,
    private readonly expired: (node: string, key: string) => void,
  ) {}

  open(): Promise<void> {
    return this.deployment.recordExpired(this.expired)
  }

  begin(): Promise<void> {
    return this.steps.begin()
  }

  /** Called when a command with these arguments has changed data of that server. */
  async wrote(name: string, args: readonly string[]): Promise<void> {
    await this.store.wrote(this.deployment.named(name), args)
    await this.steps.wrote(name)
  }

  standstillOf(): Standstill {
    return this.first.standstill
  }

  /** The fault counts as seen, because commands are held back. */
  cutOff(): Evidence {
    return () => seen
  }

  async look(): Promise<void> {}

  async close(): Promise<void> {}
}
