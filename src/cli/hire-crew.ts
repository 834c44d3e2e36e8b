/** Who plays a campaign's runs: this thread, threads of this machine, or a fleet. */
import os from 'node:os'
import type { Surroundings } from '../campaign/campaign-request.ts'
import type { Crew } from '../campaign/crew.ts'
import { localCrew } from '../campaign/local-crew.ts'
import { readQueueAddress } from '../fleet/queue-address.ts'
import { packageFolder } from './catalogue.ts'
import type { Interrupt } from './interrupt.ts'
import { toolIdentity } from './tool-identity.ts'
import { UsageError } from './usage-error.ts'
import { workerCrew } from './worker-crew.ts'

export interface CrewWish {
  /** One for each core unless told; with a fleet, 0 for none on this machine. */
  readonly workers: number | undefined
  /** More threads than tasks would only be started. */
  readonly tasks: number
  /** The URL of a fleet's queue. */
  readonly fleet: string | undefined
}

export interface Hired {
  readonly crew: Crew
  /** Threads of this machine. */
  readonly workers: number
}

/** @throws UsageError, FleetProblem */
export async function hireCrew(
  { workers: wanted = os.availableParallelism(), tasks, fleet }: CrewWish,
  { bench, alone }: Pick<Surroundings, 'bench' | 'alone'>,
  interrupt: Interrupt,
  say: (line: string) => void,
): Promise<Hired> {
  const workers = Math.min(wanted, Math.max(1, tasks))
  if (fleet === undefined) {
    if (wanted === 0) throw new UsageError('--workers 0', 'somebody has to work: give 1 or more, or --fleet as well')
    return { crew: workers === 1 ? localCrew(bench, alone) : workerCrew(workers, interrupt.flag), workers }
  }
  // BullMQ is loaded only where there is a fleet.
  const { fleetCrew } = await import('../fleet/fleet-crew.ts')
  const crew = await fleetCrew({
    ...{ address: readQueueAddress(fleet), identity: toolIdentity(), stopped: interrupt.stopped, say },
    places: { package: packageFolder, folder: process.cwd() },
    own: workers === 0 ? null : { crew: workerCrew(workers, interrupt.flag), hands: workers },
    leftovers: localCrew(bench, alone),
  })
  return { crew, workers }
}
