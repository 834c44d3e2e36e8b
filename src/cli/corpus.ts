/**
 * The corpus: past failures in files, one run in each, in the package and in the working directory.
 */
import fs from 'node:fs'
import path from 'node:path'
import { hashText, hex32 } from 'virtual-node/kernel'
import { encodeRun, type RecordedRun } from '../campaign/token/token.ts'
import { canonicalJson } from '../contract/api/json.ts'
import { packageFolder } from './catalogue.ts'
import { makeFolder } from './make-folder.ts'
import { decodeFile } from './read-run.ts'
import { shownPath, UsageError } from './usage-error.ts'

const folderName = path.join('scenarios', 'corpus')
/** A file name of this length plus an extension is valid on every file system. */
const longestFileName = 200

/** All runs of the corpus, each once. @throws UsageError for a file that does not contain a run */
export function readCorpus(): RecordedRun[] {
  const folders = new Set([path.join(packageFolder, folderName), path.resolve(folderName)])
  const runs = new Map<string, RecordedRun>()
  for (const folder of folders) {
    if (!fs.existsSync(folder)) continue
    const names = fs.readdirSync(folder).filter((name) => name.endsWith('.json'))
    for (const name of names.sort()) {
      const run = readRunFile(path.join(folder, name))
      runs.set(canonicalJson(run), run)
    }
  }
  return [...runs.values()]
}

/** Saves a run; returns the file, and whether it is new. */
export function addRunFile(run: RecordedRun): { file: string; new: boolean } {
  const text = encodeRun(run)
  const id = hex32(hashText(text, 0))
  const name = `${run.scenario}--${run.implementation}--${id}`
    .replaceAll(/[^\w-]+/g, '-')
    .replace(/^-+/, '')
    .slice(-longestFileName)
  const file = path.join(folderName, `${name}.json`)
  if (fs.existsSync(file)) return { file, new: false }
  makeFolder(folderName)
  const whole = `${file}.${process.pid}`
  fs.writeFileSync(whole, `${JSON.stringify(JSON.parse(text), null, 2)}\n`)
  fs.renameSync(whole, file)
  return { file, new: true }
}

function readRunFile(file: string): RecordedRun {
  const decoded = decodeFile(file)
  if (decoded.ok) return decoded.run
  throw new UsageError(shownPath(file), `${decoded.problem}; remove it, or restore it from version control`)
}
