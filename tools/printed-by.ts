import { spawnSync } from 'node:child_process'
import { packageFolder } from '../src/cli/catalogue.ts'

/**
 * The JSON output of a command. The progress of the command goes to this program's standard error.
 */
export function printedBy(args: readonly string[]): { readonly json: unknown; readonly text: string } {
  const { stdout: text } = spawnSync(process.execPath, ['bin/onceproof.mjs', ...args], {
    cwd: packageFolder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { json: JSON.parse(text), text }
}
