/**
 * The files of a campaign for other programs: JUnit XML, SARIF, GitHub's annotations and summary.
 */
import path from 'node:path'
import { projectFolder } from 'virtual-node/runtime'
import type { PairPlan } from '../campaign/play/campaign-request.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { isProgram } from '../contract/api/program-name.ts'
import type { SourcePosition } from '../contract/api/source-position.ts'
import { versionsOf } from '../contract/api/two-versions.ts'
import type { Results } from '../contract/results/results.ts'
import { programFiles } from '../exec/program-files.ts'
import type { Asked } from '../report/machines/failures.ts'
import { annotations, type PlaceOf, stepSummary } from '../report/machines/github.ts'
import { junitXml } from '../report/machines/junit.ts'
import { sarifLog } from '../report/machines/sarif.ts'
import type { MachineOptions } from './command-table.ts'
import { leaveFile } from './leave-file.ts'
import type { Output } from './output.ts'

interface LayerFile {
  /**
   * The path of the adapter, or the first file of the program; for two versions, that of the next
   * version.
   */
  readonly path: string
  readonly digest: string
}

/** The files of layers, by the layer's id. */
export type LayerFiles = ReadonlyMap<string, LayerFile>

export async function layerFilesOf(pairs: readonly PairPlan[], deps: CampaignDeps): Promise<LayerFiles> {
  const named = [...new Set(pairs.map(({ choice }) => choice.implementationPath))].map(async (name) => {
    const next = versionsOf(name).at(-1)!
    const file = isProgram(next) ? programFiles(next)[0] : path.resolve(next)
    const { implementation, digest } = await deps.loadImplementation(name)
    return file === undefined ? [] : [[implementation.id, { path: file, digest }] as const]
  })
  return new Map((await Promise.all(named)).flat())
}

/** The path of a source position, which is relative to the adapter's project. */
export const pathOf = (adapter: string, { file }: SourcePosition): string => path.join(projectFolder(adapter), file)

/** Writes the requested files. If a file cannot be written, a line on standard error reports it. */
export function leaveForMachines(
  results: Results,
  asked: Asked,
  files: LayerFiles,
  { junit, sarif, github = process.env.GITHUB_ACTIONS === 'true' }: MachineOptions,
  output: Output,
): void {
  // GitHub interprets paths relative to the repository, whatever the working directory of a step
  // is.
  const from = process.env.GITHUB_WORKSPACE || process.cwd()
  const place = (file: string, line: number) => ({ file: path.relative(from, file).replaceAll(path.sep, '/'), line })
  const placeOf: PlaceOf = ({ implementation, sourceLine }) => {
    const file = files.get(implementation)?.path
    if (file === undefined) return null
    return sourceLine === undefined ? place(file, 1) : place(pathOf(file, sourceLine), sourceLine.line)
  }
  const wanted = [
    ...(junit === undefined ? [] : [['--junit', junit, () => junitXml(results, asked)] as const]),
    ...(sarif === undefined
      ? []
      : [['--sarif', sarif, () => `${JSON.stringify(sarifLog(results, asked, placeOf), null, 2)}\n`] as const]),
  ]
  for (const [option, file, text] of wanted) leaveFile(option, file, text())
  if (github) {
    for (const line of annotations(results, asked, placeOf)) output.line(line)
    const summary = process.env.GITHUB_STEP_SUMMARY
    if (summary) leaveFile('GITHUB_STEP_SUMMARY', summary, stepSummary(results, asked), 'append')
  }
}
