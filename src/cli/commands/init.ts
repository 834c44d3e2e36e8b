/** `init`: writes the first files of a project. It never prompts, and never overwrites a file. */
import fs from 'node:fs'
import path from 'node:path'
import { quoted } from '../../campaign/token/replay-command.ts'
import { launcher } from '../../contract/results/launcher.ts'
import { configFile } from '../config.ts'
import { adapterText, configText, workflowText } from '../init-files.ts'
import { makeFolder } from '../make-folder.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Writes a project, or only the adapter `file`.
 * @throws UsageError if that file exists
 */
export function init(file: string | undefined, output: Output): void {
  if (file !== undefined) writeAdapter(file, output)
  else writeProject(output)
}

function writeAdapter(file: string, output: Output): void {
  if (!/\.[cm]?[jt]s$/.test(file))
    throw new UsageError(file, 'not a TypeScript or JavaScript file; give a name such as layer.ts')
  if (!writeNew(file, adapterText(idOf(file))))
    throw new UsageError(file, 'exists already; choose another name or remove it')
  const named = /^[./]/.test(file) ? file : `./${file}`
  output.line(`written: ${file}`)
  output.line(`try it: ${launcher()} --impl ${quoted(named)}`)
}

const adapter = 'my-layer.ts'
const workflow = '.github/workflows/onceproof.yml'

/** Writes the files of a project. Existing files are kept and reported. */
function writeProject(output: Output): void {
  const report = (file: string, written: boolean) =>
    output.line(written ? `written: ${file}` : `kept: ${file} (it exists already)`)
  const config = configFile()
  report(adapter, writeNew(adapter, adapterText(idOf(adapter))))
  if (config === null) report('onceproof.config.ts', writeNew('onceproof.config.ts', configText(`./${adapter}`)))
  else report(config, false)
  report('package.json: the script onceproof', addScript())
  report(workflow, writeNew(workflow, workflowText()))
  output.line(`try it: ${launcher()}`)
}

/**
 * Adds the script `onceproof` to `package.json`, and keeps the order and the indentation of the
 * file. Returns false if the file already has a script of that name.
 * @throws UsageError if the file is not JSON
 */
function addScript(): boolean {
  const file = 'package.json'
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '{\n  "private": true\n}\n'
  let manifest: { scripts?: Record<string, string> }
  try {
    manifest = JSON.parse(text)
  } catch {
    throw new UsageError(file, 'not valid JSON; fix it first')
  }
  if (manifest.scripts?.onceproof !== undefined) return false
  const changed = { ...manifest, scripts: { ...manifest.scripts, onceproof: 'onceproof' } }
  const indentation = /^[{]\s*\n([ \t]+)/.exec(text)?.[1] ?? '  '
  fs.writeFileSync(file, `${JSON.stringify(changed, null, indentation)}\n`)
  return true
}

function idOf(file: string): string {
  return path.basename(file).replace(/\.[^.]+$/, '')
}

/** Writes a file; false if it already exists. */
function writeNew(file: string, text: string): boolean {
  makeFolder(path.dirname(file))
  try {
    fs.writeFileSync(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
