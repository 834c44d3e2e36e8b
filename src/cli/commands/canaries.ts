/**
 * `canaries`: checks that the harness catches layers that are broken on purpose. If it does not
 * catch one of them, its passes are not reliable.
 */

import {
  checkCanaries,
  checkPerFault,
  kindsWithoutCanary,
  medianRuns,
  perFaultCanaries,
} from '../../campaign/conduct/check-canaries.ts'
import { asHunted, exitCodeOf } from '../../campaign/results/exit-code.ts'
import type { CanaryResult, CanaryResults } from '../../contract/api/canary.ts'
import type { ExitCode } from '../../contract/api/exit-codes.ts'
import { launcher } from '../../contract/results/launcher.ts'
import { canaryLines, canarySummary } from '../../report/canaries.ts'
import { faults } from '../../run/faults/index.ts'
import { withCampaignSession } from '../campaign-session.ts'
import type { OptionsOf } from '../command-table.ts'
import { suggestion } from '../nearest.ts'
import type { Output } from '../output.ts'
import { selectCanaries } from '../select.ts'
import { UsageError } from '../usage-error.ts'

type CanariesOptions = OptionsOf<'canaries'>

/**
 * The budget of each search for a smaller run, in events. Such a search takes longer than the hunt.
 */
const searchedEvents = 15_000

export async function canaries(options: CanariesOptions, output: Output): Promise<ExitCode> {
  checkKinds(options)
  const { seed, runs, without = [], only, perFault = false, shrink = false } = options
  return withCampaignSession(output, true, async ({ deps, elapsedMs, say, campaign }) => {
    const all = await selectCanaries(only, deps)
    say(`seed ${seed}`)
    const request = { seed, runs, without, shrinkBudget: shrink ? searchedEvents : 0 }
    const want = { tasks: all.length, workers: options.workers }
    const results = await campaign(want, async ({ executor }, workers): Promise<CanaryResults> => {
      const report = (result: CanaryResult) => say(canaryLines(result, shrink, output).join('\n'))
      const context = { executor, stopped: deps.stopped, report }
      const found = await (perFault
        ? checkPerFault(perFaultCanaries(all), request, context)
        : checkCanaries(all, request, context))
      const ownerless = perFault && only === undefined ? kindsWithoutCanary(faults.keys(), all) : []
      const interrupted = deps.stopped()
      return {
        schemaVersion: 1,
        seed,
        runsEach: runs,
        shrunk: shrink,
        interrupted,
        exitCode: exitCodeOf(found, asHunted, { interrupted, harnessFailed: ownerless.length > 0 }),
        canaries: found,
        medianRuns: medianRuns(found),
        kindsWithoutCanary: ownerless,
        timings: { totalMs: Math.round(elapsedMs()), workers },
      }
    })
    for (const line of canarySummary(results, output)) say(line)
    if (output.json) await output.document(results)
    return results.exitCode
  })
}

function checkKinds({ without = [], perFault }: CanariesOptions): void {
  if (perFault && without.length > 0) throw new UsageError('--per-fault and --without', 'give only one of them')
  const unknown = without.find((kind) => !faults.has(kind))
  if (unknown === undefined) return
  throw new UsageError(
    `--without ${unknown}`,
    suggestion(unknown, [...faults.keys()], `\`${launcher()} list\` prints all faults`),
  )
}
