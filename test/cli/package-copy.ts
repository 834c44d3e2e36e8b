/** The package or a part of it in a new folder, in which it has not been compiled yet. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './run-cli.ts'

const project = fileURLToPath(new URL('../../', import.meta.url))

/** Everything that the command line consists of and plays. */
export function packageCopy(): string {
  return copyOf('bin', 'src', 'packages', 'scenarios', 'implementations', 'lua', 'package.json')
}

/** These files and folders, and the packages. */
export function copyOf(...names: readonly string[]): string {
  const copy = temporaryFolder()
  for (const name of names) fs.cpSync(path.join(project, name), path.join(copy, name), { recursive: true })
  fs.symlinkSync(path.join(project, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

/** @throws if `from` is missing, because the test would then change nothing */
export function change(copy: string, file: string, from: string, to: string): void {
  const whole = path.join(copy, file)
  const text = fs.readFileSync(whole, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
  fs.writeFileSync(whole, text.replace(from, to))
}
