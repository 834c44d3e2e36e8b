/**
 * The package, or a part of it, in a folder of its own, where it was never started: what it
 * compiles is compiled there.
 */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './run-cli.ts'

const project = fileURLToPath(new URL('../../', import.meta.url))

/** All that the command line is made of and plays. */
export function packageCopy(): string {
  return copyOf('bin', 'src', 'packages', 'scenarios', 'implementations', 'lua', 'package.json')
}

/** These files and folders, beside the packages. */
export function copyOf(...names: readonly string[]): string {
  const copy = temporaryFolder()
  for (const name of names) fs.cpSync(path.join(project, name), path.join(copy, name), { recursive: true })
  fs.symlinkSync(path.join(project, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

/** @throws where `from` is not there: a test of what is not changed would show nothing */
export function change(copy: string, file: string, from: string, to: string): void {
  const whole = path.join(copy, file)
  const text = fs.readFileSync(whole, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
  fs.writeFileSync(whole, text.replace(from, to))
}
