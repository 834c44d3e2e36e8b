import type { VirtualProcess } from 'virtual-node/runtime'
import type { Answer, Delivery } from '../../run/broker.ts'
import type { ConsumerReports } from '../../run/ports.ts'
import type { World } from './world-state.ts'

/**
 * Guards the reports of consumers, which are made in turns of the layer. An error that the runner
 * throws in such a turn is a bug of the harness, and must not count as a crash of the layer.
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
