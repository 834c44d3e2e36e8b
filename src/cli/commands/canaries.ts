/** `canaries`: layers that are broken on purpose, each of which must be caught, or no pass means anything. */
import os from 'node:os'
import type { Crew } from '../../campaign/crew.ts'
import type { HuntRequest, Quarry } from '../../campaign/hunt.ts'
import { exitCodeOf, huntAll, medianRuns, ownCanaries } from '../../campaign/hunt-all.ts'
import { localCrew } from '../../campaign/local-crew.ts'
import type { CanaryResult, CanaryResults } from '../../contract/canary.ts'
import { type ExitCode, exitCodes } from '../../contract/results.ts'
import { canaryLines, canarySummary } from '../../report/canaries.ts'
import { faults } from '../../sim/faults/index.ts'
import { findCanaries } from '../find-canaries.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { suggestion } from '../nearest.ts'
import type { Output } from '../output.ts'
import { realWorkbench } from '../real-workbench.ts'
import { UsageError } from '../usage-error.ts'
import { workerCrew } from '../worker-crew.ts'

export interface CanariesOptions {
  readonly seed: number
  readonly runs: number
  readonly without?: readonly string[]
  readonly only?: readonly string[]
  readonly own?: boolean
  readonly workers?: number
}

/** Runs that the search for a smaller counterexample may cost. */
const shrinkBudget = 150

/** One round: these canaries, under these conditions. */
interface Round {
  readonly quarries: readonly Quarry[]
  readonly request: HuntRequest
}

export async function canaries(options: CanariesOptions, output: Output): Promise<ExitCode> {
  const startedMs = performance.now()
  checkKinds(options)
  const interrupt = listenForInterrupt(output.line, () => performance.now() - startedMs)
  try {
    const bench = realWorkbench(interrupt.stopped)
    const quarries = await findCanaries(options.only, bench)
    const rounds = options.own ? ownRounds(quarries, options) : [{ quarries, request: requestOf(options) }]
    const kindsWithoutOwn = options.own && options.only === undefined ? ownerless(quarries) : []
    output.line(`seed ${options.seed}`)
    const workers = Math.min(options.workers ?? os.availableParallelism(), Math.max(1, quarries.length))
    const crew = workers === 1 ? localCrew(bench) : workerCrew(workers, interrupt.flag)
    const found = await play(rounds, crew, output).finally(() => crew.close())
    const interrupted = interrupt.stopped()
    const results: CanaryResults = {
      ...{ schemaVersion: 1, seed: options.seed, runsEach: options.runs, interrupted },
      exitCode: interrupted ? exitCodes.interrupted : exitCodeOf(found, kindsWithoutOwn),
      ...{ canaries: found, medianRuns: medianRuns(found), kindsWithoutOwn },
      timings: { totalMs: Math.round(performance.now() - startedMs), workers },
    }
    for (const line of canarySummary(results, output)) output.line(line)
    if (output.json) await output.document(results)
    return results.exitCode
  } finally {
    interrupt.release()
  }
}

async function play(rounds: readonly Round[], crew: Crew, output: Output): Promise<CanaryResult[]> {
  const found: CanaryResult[] = []
  const tell = (result: CanaryResult): void => {
    for (const line of canaryLines(result, output)) output.line(line)
  }
  for (const { quarries, request } of rounds) found.push(...(await huntAll(quarries, request, crew, tell)))
  return found
}

function requestOf({ seed, runs, without = [] }: CanariesOptions): HuntRequest {
  return { seed, runs, without, shrinkBudget }
}

/** The canaries that are some kind's own: with all faults on, and then with that kind off. */
function ownRounds(quarries: readonly Quarry[], options: CanariesOptions): Round[] {
  const kinds = [...faults.keys()].filter((kind) => ownCanaries(kind, quarries).length > 0)
  const request = requestOf(options)
  return [
    { quarries: kinds.flatMap((kind) => ownCanaries(kind, quarries)), request },
    ...kinds.map((kind) => ({ quarries: ownCanaries(kind, quarries), request: { ...request, without: [kind] } })),
  ]
}

function ownerless(quarries: readonly Quarry[]): string[] {
  return [...faults.keys()].filter((kind) => ownCanaries(kind, quarries).length === 0)
}

function checkKinds({ without = [], own }: CanariesOptions): void {
  if (own && without.length > 0) throw new UsageError('--own and --without', 'give one of them')
  const unknown = without.find((kind) => !faults.has(kind))
  if (unknown === undefined) return
  throw new UsageError(
    `--without ${unknown}`,
    suggestion(unknown, [...faults.keys()], '`pnpm sim list` names all faults'),
  )
}
