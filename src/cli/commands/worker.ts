/** `worker`: plays runs for the campaigns of a fleet until Ctrl-C. */

import os from 'node:os'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import { readQueueAddress } from '../../fleet/queue-address.ts'
import { serveFleet } from '../../fleet/serve-fleet.ts'
import { packageFolder } from '../catalogue.ts'
import type { OptionsOf } from '../command-table.ts'
import { listenForInterrupt } from '../interrupt.ts'
import type { Output } from '../output.ts'
import { createStatusTable, endProgramsAtExit } from '../status-table.ts'
import { toolIdentity } from '../tool-identity.ts'
import { UsageError } from '../usage-error.ts'
import { type PoolTasks, startWatchdog } from '../watchdog.ts'
import { workerPool } from '../worker-pool.ts'

type WorkerOptions = OptionsOf<'worker'>

export async function worker(options: WorkerOptions, output: Output): Promise<ExitCode> {
  const { fleet, workers = os.availableParallelism() } = options
  if (fleet === undefined) throw new UsageError('worker', 'give the queue: --fleet redis://host:port')
  const address = readQueueAddress(fleet)
  const interrupt = listenForInterrupt(output.line, () => performance.now())
  // Ctrl-C does not interrupt runs: they finish, or other machines play them.
  const neverStopped = new Int32Array(new SharedArrayBuffer(4))
  const statusTable = createStatusTable()
  endProgramsAtExit(statusTable)
  const poolTasks: PoolTasks = new Map()
  startWatchdog(statusTable, false, () => undefined, { poolTasks })
  await serveFleet({
    address,
    workers,
    identity: toolIdentity,
    say: output.line,
    stopped: interrupt.stopped,
    name: `${os.hostname()}:${process.pid}`,
    places: { package: packageFolder, folder: process.cwd() },
    startExecutor: () => workerPool(workers, neverStopped, statusTable, poolTasks),
  })
  return exitCodes.ok
}
