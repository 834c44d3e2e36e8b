import fs from 'node:fs'
import { type Decoded, decodeRun, decodeToken, isToken, longestRun, type RecordedRun } from '../campaign/token/token.ts'
import { UsageError } from './usage-error.ts'

/**
 * The run in an argument of the user: a token, or a file with one run. `incompatible`: why this
 * version cannot play it.
 */
export type ReadRun = { readonly run: RecordedRun } | { readonly incompatible: string }

/** @throws UsageError if the argument is neither a token nor such a file, or is truncated */
export function readRun(tokenOrFile: string): ReadRun {
  const isFile = !isToken(tokenOrFile) && fs.statSync(tokenOrFile, { throwIfNoEntry: false })?.isFile()
  const decoded: Decoded = isFile ? decodeFile(tokenOrFile) : decodeToken(tokenOrFile)
  if (decoded.ok) return { run: decoded.run }
  if (decoded.why === 'incompatible') return { incompatible: decoded.problem }
  if (decoded.why === 'refused') throw new UsageError(shortened(tokenOrFile), `refused: ${decoded.problem}`)
  const remedy = isFile ? 'run the campaign again' : 'copy the whole token, or give a file'
  throw new UsageError(shortened(tokenOrFile), `${decoded.problem}; ${remedy}`)
}

/** Reads a file that contains a run, or a token as text. */
export function decodeFile(file: string): Decoded {
  const { size } = fs.statSync(file)
  if (size > longestRun)
    return { ok: false, why: 'refused', problem: `${size} bytes, but a run has at most ${longestRun}` }
  const text = fs.readFileSync(file, 'utf8').trim()
  return isToken(text) ? decodeToken(text) : decodeRun(text)
}

function shortened(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 37)}…`
}
