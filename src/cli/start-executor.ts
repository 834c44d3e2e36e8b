/** Starts the executor of a campaign: in this thread, on a worker pool, or on a fleet. */
import os from 'node:os'
import { inlineExecutor } from '../campaign/conduct/inline-executor.ts'
import type { CampaignContext } from '../campaign/play/campaign-request.ts'
import type { Executor } from '../campaign/play/executor.ts'
import { readQueueAddress } from '../fleet/queue-address.ts'
import { packageFolder } from './catalogue.ts'
import type { Interrupt } from './interrupt.ts'
import type { StatusTable } from './status-table.ts'
import { toolIdentity } from './tool-identity.ts'
import { UsageError } from './usage-error.ts'
import type { PoolTasks } from './watchdog.ts'
import { workerPool } from './worker-pool.ts'

export interface ExecutorOptions {
  /**
   * The number of worker threads. Default: one for each core. With a fleet, 0 means that this
   * machine plays no runs.
   */
  readonly workers: number | undefined
  /** The number of tasks, which limits the number of threads. */
  readonly tasks: number
  /** The URL of a fleet's queue. */
  readonly fleet?: string | undefined
}

export interface StartedExecutor {
  readonly executor: Executor
  /** The number of threads of this machine. */
  readonly workers: number
}

/** @throws UsageError, FleetProblem */
export async function startExecutor(
  { workers: wanted = os.availableParallelism(), tasks, fleet }: ExecutorOptions,
  { deps, alone }: Pick<CampaignContext, 'deps' | 'alone'>,
  interrupt: Interrupt,
  statusTable: StatusTable,
  poolTasks: PoolTasks,
  say: (line: string) => void,
): Promise<StartedExecutor> {
  const workers = Math.min(wanted, Math.max(1, tasks))
  const pool = () => workerPool(workers, interrupt.flag, statusTable, poolTasks)
  if (fleet === undefined) {
    if (wanted === 0) throw new UsageError('--workers 0', 'no workers; give 1 or more, or add --fleet')
    return { executor: workers === 1 ? inlineExecutor(deps, alone) : pool(), workers }
  }
  // BullMQ is loaded only for a fleet.
  const { fleetExecutor } = await import('../fleet/fleet-executor.ts')
  const executor = await fleetExecutor({
    address: readQueueAddress(fleet),
    identity: toolIdentity(),
    stopped: interrupt.stopped,
    say,
    places: { package: packageFolder, folder: process.cwd() },
    own: workers === 0 ? null : { executor: pool(), workers },
    leftovers: inlineExecutor(deps, alone),
  })
  return { executor, workers }
}
