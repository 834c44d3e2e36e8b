/**
 * `merge`: combines the shards of a campaign into the results that one machine would have produced.
 */
import type { ExitCode } from '../../contract/api/exit-codes.ts'
import { isProgram } from '../../contract/api/program-name.ts'
import { local, type OptionsOf } from '../command-table.ts'
import type { Output } from '../output.ts'
import { readShards } from '../read-shards.ts'
import { latestReport } from '../report-folder.ts'
import { UsageError } from '../usage-error.ts'
import { matrix } from './matrix.ts'
import { type RunOptions, run } from './run.ts'

export async function merge(
  folders: readonly string[],
  options: OptionsOf<'merge'>,
  output: Output,
): Promise<ExitCode> {
  const merging = readShards(folders, latestReport(options.reports))
  const { command, seed, options: asked } = merging.facts
  const own = Object.fromEntries(Object.entries(asked as object).filter(([name]) => !local.includes(name)))
  // A shard file may come from another machine and must not start programs; shards of programs are
  // never written.
  if (layersIn([own.impl, own.withNext]).some(isProgram))
    throw new UsageError('merge', 'a shard of a program cannot be merged; play the campaign on one machine')
  const all = { ...own, ...options, seed }
  if (command === 'run') return run(all as RunOptions, output, merging)
  if (command === 'matrix') return matrix(all as OptionsOf<'matrix'>, output, merging)
  throw new UsageError('merge', `the shards are of the command ${String(command)}, which merge does not support`)
}

/** All layers in an option: a single layer, a list, or the two versions of an upgrade. */
function layersIn(asked: unknown): string[] {
  if (typeof asked === 'string') return [asked]
  return typeof asked === 'object' && asked !== null ? Object.values(asked).flatMap(layersIn) : []
}
