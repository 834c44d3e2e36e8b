import { addRunFile } from '../corpus.ts'
import type { Output } from '../output.ts'
import { readRun } from '../read-run.ts'
import { UsageError } from '../usage-error.ts'

/** `corpus add <token>`: adds a run to the corpus. */
export function addToCorpus(token: string, output: Output): void {
  const read = readRun(token)
  if ('incompatible' in read) throw new UsageError(token.slice(0, 40), `made by another version: ${read.incompatible}`)
  const { file, new: added } = addRunFile(read.run)
  output.line(added ? `kept: ${file}` : `kept before: ${file}`)
}
