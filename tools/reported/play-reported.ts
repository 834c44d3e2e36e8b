/** Plays the layers of a report with default options, as a user would. */
import fs from 'node:fs'
import path from 'node:path'
import { packageFolder } from '../../src/cli/catalogue.ts'
import type { Finding, Results } from '../../src/contract/results/results.ts'
import { printedBy } from '../printed-by.ts'
import type { Side } from './cases.ts'

/** The result of a default campaign of a layer. */
export interface Played {
  readonly exitCode: number
  readonly seconds: number
  /** The findings, as in results. */
  readonly findings: readonly Pick<Finding, 'rootCause' | 'cause' | 'otherKinds' | 'why' | 'acceptable'>[]
}

/**
 * Writes a file to `folder` whose default export is the layer of `side`. A file of layers exports
 * both sides by name, but the harness loads a default export.
 */
export function entryOf(file: string, side: Side, folder: string): string {
  const entry = path.join(folder, `${file}.${side}.ts`)
  const layers = path.join(packageFolder, 'test/reported/layers', `${file}.ts`)
  fs.writeFileSync(entry, `export { ${side} as default } from ${JSON.stringify(layers)}\n`)
  return entry
}

/**
 * Plays the layer.
 * @throws if the harness could not play the layer
 */
export function playReported(entry: string, { seed, reports }: { seed: number; reports: string }): Played {
  const args = ['--impl', entry, '--seed', String(seed), '--json', '--no-html', '--quiet', '--reports', reports]
  const begun = performance.now()
  const results = printedBy(args).json as Results & { error?: { culprit: string; remedy: string } }
  const seconds = Math.round((performance.now() - begun) / 1000)
  if (results.error !== undefined) throw new Error(`${results.error.culprit}: ${results.error.remedy}`)
  const findings = results.findings.map(({ rootCause, sink, cause, otherKinds, why, acceptable }) => {
    return {
      rootCause: `${sink} ${rootCause}`,
      cause,
      why,
      ...(otherKinds && { otherKinds }),
      ...(acceptable && { acceptable }),
    }
  })
  return { exitCode: results.exitCode, seconds, findings }
}
