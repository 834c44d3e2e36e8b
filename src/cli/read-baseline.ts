/** Reads `--baseline`: the root causes of an earlier `results.json`. */
import fs from 'node:fs'
import type { Baseline } from '../campaign/play/campaign-request.ts'
import type { Results } from '../contract/results/results.ts'
import { UsageError } from './usage-error.ts'

/** @throws UsageError */
export function readBaseline(file: string | undefined): Baseline | undefined {
  if (file === undefined) return undefined
  const refuse = (remedy: string) => new UsageError(`--baseline ${file}`, remedy)
  let results: Partial<Results> | null
  try {
    results = JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof SyntaxError) throw refuse('not valid JSON; give the results.json of a campaign')
    throw refuse(`not readable (${code}); give the results.json of a campaign`)
  }
  const { schemaVersion, rootCauses } = Object(results) as Partial<Results>
  if (schemaVersion !== 1)
    throw refuse(`schemaVersion is ${String(schemaVersion)} instead of 1; write it again with this onceproof`)
  if (!Array.isArray(rootCauses) || !rootCauses.every(isRootCause))
    throw refuse('no root causes of a campaign in it; give the results.json of one')
  return rootCauses
}

function isRootCause(one: unknown): one is Baseline[number] {
  const { implementation, sink, name } = Object(one) as Partial<Baseline[number]>
  return [implementation, sink, name].every((text) => typeof text === 'string')
}
