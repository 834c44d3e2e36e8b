/** `canaries`: layers that are broken on purpose, each of which must be caught, or no pass means anything. */
import os from 'node:os'
import { checkCanaries, checkOwn, kindsWithoutOwn, medianRuns, ownCanaries } from '../../campaign/check-canaries.ts'
import { asHunted, exitCodeOf } from '../../campaign/exit-code.ts'
import { inlineExecutor } from '../../campaign/inline-executor.ts'
import { oneAtATime } from '../../campaign/one-at-a-time.ts'
import type { CanaryResult, CanaryResults } from '../../contract/canary.ts'
import type { ExitCode } from '../../contract/results.ts'
import { canaryLines, canarySummary } from '../../report/canaries.ts'
import { faults } from '../../sim/faults/index.ts'
import { createDeps } from '../create-deps.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { suggestion } from '../nearest.ts'
import type { Output } from '../output.ts'
import { selectCanaries } from '../select.ts'
import { UsageError } from '../usage-error.ts'
import { workerPool } from '../worker-pool.ts'

export interface CanariesOptions {
  readonly seed: number
  readonly runs: number
  readonly without?: readonly string[]
  readonly only?: readonly string[]
  readonly own?: boolean
  readonly workers?: number
}

/** Events that the search for a smaller counterexample may play. */
const shrinkBudget = 15_000

export async function canaries(options: CanariesOptions, output: Output): Promise<ExitCode> {
  const startedMs = performance.now()
  checkKinds(options)
  const { seed, runs, without = [], only, own = false } = options
  const interrupt = listenForInterrupt(output.line, () => performance.now() - startedMs)
  const { stopped } = interrupt
  try {
    const deps = createDeps(stopped)
    const quarries = await selectCanaries(only, deps)
    output.line(`seed ${seed}`)
    const workers = Math.min(options.workers ?? os.availableParallelism(), quarries.length)
    const executor = workers === 1 ? inlineExecutor(deps, oneAtATime()) : workerPool(workers, interrupt.flag)
    const party = {
      executor,
      stopped,
      tell: (result: CanaryResult) => output.line(canaryLines(result, output).join('\n')),
    }
    const request = { seed, runs, without, shrinkBudget }
    const hunted = own ? checkOwn(ownCanaries(quarries), request, party) : checkCanaries(quarries, request, party)
    const found = await hunted.finally(() => executor.close())
    const ownerless = own && only === undefined ? kindsWithoutOwn(faults.keys(), quarries) : []
    const results: CanaryResults = {
      schemaVersion: 1,
      seed,
      runsEach: runs,
      interrupted: stopped(),
      exitCode: exitCodeOf(found, asHunted, { interrupted: stopped(), harnessFailed: ownerless.length > 0 }),
      canaries: found,
      medianRuns: medianRuns(found),
      kindsWithoutOwn: ownerless,
      timings: { totalMs: Math.round(performance.now() - startedMs), workers },
    }
    for (const line of canarySummary(results, output)) output.line(line)
    if (output.json) await output.document(results)
    return results.exitCode
  } finally {
    interrupt.release()
  }
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
