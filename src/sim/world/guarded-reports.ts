import type { VirtualProcess } from 'virtual-node/runtime'
import type { Answer, Delivery } from '../../run/broker.ts'
import type { ConsumerReports } from '../../run/ports.ts'
import type { World } from './world-state.ts'

/**
 * Reports are made in turns of the layer. An error that the runner throws there is a bug of the
 * harness, not the layer's death.
 */
export class GuardedReports implements ConsumerReports<VirtualProcess> {
  constructor(
    private readonly world: Pick<World, 'guardHarnessCode'>,
    private readonly reports: () => ConsumerReports<VirtualProcess>,
  ) {}

  created(process: VirtualProcess): void {
    this.world.guardHarnessCode(() => this.reports().created(process))
  }

  createFailed(process: VirtualProcess, error: string): void {
    this.world.guardHarnessCode(() => this.reports().createFailed(process, error))
  }

  answered(process: VirtualProcess, delivery: Delivery<VirtualProcess>, answer: Answer): void {
    this.world.guardHarnessCode(() => this.reports().answered(process, delivery, answer))
  }

  died(process: VirtualProcess, error: string): void {
    this.world.guardHarnessCode(() => this.reports().died(process, error))
  }
}
