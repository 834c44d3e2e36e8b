import fs from 'node:fs'
import path from 'node:path'
import { programWords } from '../contract/api/program-name.ts'

/**
 * The files that the words of a program name, as absolute paths. Files that these load are not
 * included, and neither are programs found on the PATH.
 */
export function programFiles(name: string): string[] {
  const [program = '', ...args] = programWords(name) ?? []
  const named = /[/\\]/.test(program) ? [program, ...args] : args
  return named
    .map((word) => path.resolve(word))
    .filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile())
}

/**
 * The text files among them, with their content. Compiled files are left out, because they differ
 * between machines although their sources do not.
 */
export function scriptFiles(name: string): (readonly [file: string, content: Buffer])[] {
  return programFiles(name)
    .map((file) => [file, fs.readFileSync(file)] as const)
    .filter(([, content]) => !content.includes(0))
}
