/**
 * `tune`: finds how long a layer's lease and retention must be for a worst case that the user
 * describes.
 */

import { rungCount, runTune, type TuneSubject } from '../../campaign/conduct/run-tune.ts'
import { unusable } from '../../campaign/play/unusable.ts'
import type { ExitCode } from '../../contract/api/exit-codes.ts'
import type { TuneResults, WorstCase } from '../../contract/results/tune.ts'
import { tunePage } from '../../report/page/tune.ts'
import { tuneLines, tuneSummary } from '../../report/tune-lines.ts'
import { worstText } from '../../report/tune-summary.ts'
import { writeFolder } from '../../report/write-folder.ts'
import { withCampaignSession } from '../campaign-session.ts'
import type { OptionsOf } from '../command-table.ts'
import type { Output } from '../output.ts'
import { prepareReports, printPage, saveReport } from '../report-folder.ts'
import { commonSink, controlPair, type SelectedLayer, selectLayers } from '../select.ts'
import { resultsHead } from '../tool-identity.ts'
import { UsageError } from '../usage-error.ts'

type TuneOptions = OptionsOf<'tune'>

/** The budget of the search for the smallest run that breaks a value, in events. */
const explain = { layer: 0, path: 100_000, checks: 0 }

export async function tune(options: TuneOptions, output: Output): Promise<ExitCode> {
  prepareReports(options.reports)
  return withCampaignSession(output, false, async ({ deps, elapsedMs, say, stopProgress, files, campaign }) => {
    const { seed, runs, reports, html, impl: implementations, withNext: next } = options
    const worst = worstOf(options)
    const layers = await selectLayers({ implementations, next, sink: options.sink }, deps)
    const sink = commonSink(layers)
    const subjects = layers.map((layer) => subjectOf(layer, worst))
    const control = await controlPair(deps)
    say(`seed ${seed}, at worst: ${worstText(worst)}`)
    const want = { tasks: subjects.length * rungCount(worst), workers: options.workers, fleet: undefined }
    const { results, harnessFailure } = await campaign(want, async (context, workers) => {
      const request = { subjects, worst, runs, control, seed, explain, reports }
      const { harnessFailure, ...found } = await runTune(request, context)
      const timings = { totalMs: Math.round(elapsedMs()), workers }
      const results: TuneResults = { ...resultsHead(seed), sink, worstCase: worst, ...found, timings }
      return { results, harnessFailure }
    })
    stopProgress()
    for (const layer of results.layers) tuneLines(layer, output).forEach(say)
    const saved = saveReport(reports, (target) =>
      writeFolder(target, [
        ...files,
        ['tune.json', `${JSON.stringify(results, null, 2)}\n`],
        ...(html ? [['index.html', tunePage(results)] as const] : []),
      ]),
    )
    if (harnessFailure !== null) output.line(`the harness failed: ${harnessFailure}`)
    output.line(tuneSummary(results, output))
    if (html) printPage(options, saved, output.line)
    if (output.json) await output.document(results)
    return results.exitCode
  })
}

const worstOf = ({ work, pause, skew, redelivery }: TuneOptions): WorstCase => {
  return { workMs: work, pauseMs: pause, skewMs: skew, redeliveryMs: redelivery }
}

/** @throws UsageError if the layer cannot be tuned */
function subjectOf({ implementation, ...layer }: SelectedLayer, { skewMs }: WorstCase): TuneSubject {
  const clocks = skewMs > 0 ? ({ needsConsumerClocks: true } as const) : {}
  const why = unusable(implementation, { id: 'tune', shape: 'single', ...clocks })
  if (why !== null) throw new UsageError(`--impl ${layer.implementationName}`, why)
  return { ...layer, id: implementation.id, expect: implementation.expect ?? 'holds' }
}
