/**
 * `configurations`: finds which configuration of Redis makes a layer safe from which loss, and can
 * write a page of the documentation about it.
 */

import fs from 'node:fs'
import path from 'node:path'
import {
  type ConfigurationSearchSubject,
  runConfigurationSearch,
} from '../../campaign/conduct/run-configuration-search.ts'
import { type Configuration, configurations } from '../../campaign/made/configuration.ts'
import { losses } from '../../campaign/made/loss.ts'
import { unusable } from '../../campaign/play/unusable.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import { usualShapes } from '../../contract/api/scenario.ts'
import type {
  ConfigurationSearchHead,
  ConfigurationSearchResults,
} from '../../contract/results/configuration-search.ts'
import { configurationSearchDocument } from '../../report/configuration-search-document.ts'
import { configurationSearchLines, configurationSearchSummary } from '../../report/configuration-search-lines.ts'
import { counted } from '../../report/figures.ts'
import { configurationSearchPage } from '../../report/page/configuration-search.ts'
import { writeFolder } from '../../report/write-folder.ts'
import { withCampaignSession } from '../campaign-session.ts'
import { checkFleet } from '../check-fleet.ts'
import type { OptionsOf } from '../command-table.ts'
import { leaveFile } from '../leave-file.ts'
import { suggestion } from '../nearest.ts'
import type { Output } from '../output.ts'
import { prepareReports, printPage, saveReport } from '../report-folder.ts'
import { commonSink, controlPair, type SelectedLayer, selectLayers } from '../select.ts'
import { resultsHead } from '../tool-identity.ts'
import { UsageError } from '../usage-error.ts'

type ConfigurationSearchOptions = OptionsOf<'configurations'>

/** Runs for each cell of a layer that is expected to hold, or to be broken. */
const defaultRuns = { holds: 300, broken: 150 }
/** The budget of the search for a cell's smallest counterexample, in events. */
const explain = { layer: 0, path: 100_000, checks: 0 }

export async function searchConfigurations(options: ConfigurationSearchOptions, output: Output): Promise<ExitCode> {
  await checkFleet(options.fleet, undefined)
  prepareReports(options.reports)
  const { writeDocs } = options
  if (writeDocs !== undefined) mustBeWritable(writeDocs)
  const rows = chosen('--on', options.on, configurations)
  const columns = chosen('--loss', options.loss, losses)
  return withCampaignSession(output, false, async ({ deps, elapsedMs, say, stopProgress, files, campaign }) => {
    const { seed, reports, impl: implementations, withNext: next } = options
    const layers = await selectLayers({ implementations, next, sink: options.sink }, deps)
    const sink = commonSink(layers)
    const leftOut = layers.flatMap((layer) => rowsLeftOut(layer, rows))
    const subjects = layers.map((layer) => subjectOf(layer, options))
    const control = await controlPair(deps)
    say(`seed ${seed}, ${counted(rows.length, 'configuration')} of Redis, ${counted(columns.length, 'kind')} of loss`)
    leftOut.forEach(say)
    const heads = { configurations: rows.map(headOf), losses: columns.map(headOf) }
    const want = { tasks: rows.length * columns.length, workers: options.workers, fleet: options.fleet }
    const { results, harnessFailure } = await campaign(want, async (context, workers) => {
      const request = { subjects, configurations: rows, losses: columns, control, seed, explain, reports }
      const report = (layer: ConfigurationSearchResults['layers'][number]) =>
        configurationSearchLines(layer, heads, output).forEach(say)
      const { harnessFailure, ...found } = await runConfigurationSearch(request, context, report)
      const results: ConfigurationSearchResults = {
        ...resultsHead(seed),
        sink,
        ...heads,
        ...found,
        timings: { totalMs: Math.round(elapsedMs()), workers },
      }
      return { results, harnessFailure }
    })
    stopProgress()
    const exitCode = conclude(results, files, harnessFailure, options, output)
    if (output.json) await output.document(results)
    return exitCode
  })
}

/**
 * The reasons why rows are missing, one line each: the layer cannot use that Redis.
 * @throws UsageError if no row is left
 */
function rowsLeftOut({ implementation }: SelectedLayer, rows: readonly Configuration[]): string[] {
  const reasons = rows.flatMap((row) => unusable(implementation, row) ?? [])
  if (reasons.length === rows.length)
    throw new UsageError('--on', `choose a Redis that the layer can use: ${reasons[0]}`)
  return reasons
}

function subjectOf(
  { implementation, ...layer }: SelectedLayer,
  { runs }: ConfigurationSearchOptions,
): ConfigurationSearchSubject {
  const { id, expect = 'holds', waitsForReplicas = false, shapes = usualShapes } = implementation
  return { ...layer, id, expect, waitsForReplicas, shapes, runs: runs ?? defaultRuns[expect] }
}

function headOf({ id, title, about }: ConfigurationSearchHead): ConfigurationSearchHead {
  return { id, title, about }
}

/**
 * The chosen rows or columns, in the order of the table.
 * @throws UsageError
 */
function chosen<One extends { readonly id: string }>(
  option: string,
  names: readonly string[] | undefined,
  all: readonly One[],
): readonly One[] {
  if (names === undefined) return all
  const ids = all.map(({ id }) => id)
  const unknown = names.find((name) => !ids.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`${option} ${unknown}`, suggestion(unknown, ids, `choose of ${ids.join(', ')}`))
  return all.filter(({ id }) => names.includes(id))
}

/**
 * Called before any run, so that no run is wasted.
 * @throws UsageError
 */
function mustBeWritable(file: string): void {
  try {
    fs.accessSync(path.dirname(file), fs.constants.W_OK)
  } catch {
    throw new UsageError(`--write-docs ${file}`, 'not writable; choose another file')
  }
}

function conclude(
  results: ConfigurationSearchResults,
  files: ReadonlyMap<string, string>,
  harnessFailure: string | null,
  options: ConfigurationSearchOptions,
  output: Output,
): ExitCode {
  const { reports, html, writeDocs } = options
  const saved = saveReport(reports, (target) =>
    writeFolder(target, [
      ...files,
      ['configurations.json', `${JSON.stringify(results, null, 2)}\n`],
      ...(html ? [['index.html', configurationSearchPage(results)] as const] : []),
    ]),
  )
  if (writeDocs !== undefined && results.exitCode !== exitCodes.interrupted) {
    const isWritten = leaveFile('--write-docs', writeDocs, configurationSearchDocument(results))
    if (isWritten) output.line(`written: ${writeDocs}`)
  }
  if (harnessFailure !== null) output.line(`the harness failed: ${harnessFailure}`)
  output.line(configurationSearchSummary(results, output))
  if (html) printPage(options, saved, output.line)
  return results.exitCode
}
