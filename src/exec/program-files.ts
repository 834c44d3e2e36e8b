import fs from 'node:fs'
import path from 'node:path'
import { programWords } from '../contract/api/program-name.ts'

/**
 * The files among the words of a program, as absolute paths. Files that these load, and programs on
 * the PATH, are not included.
 */
export function programFiles(name: string): string[] {
  const [program = '', ...args] = programWords(name) ?? []
  const named = /[/\\]/.test(program) ? [program, ...args] : args
  return named
    .map((word) => path.resolve(word))
    .filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile())
}

/**
 * The text files among `programFiles`, with their content. Binary files are left out, because
 * compiled files differ between machines even if their sources are equal.
 */
export function scriptFiles(name: string): (readonly [file: string, content: Buffer])[] {
  return programFiles(name)
    .map((file) => [file, fs.readFileSync(file)] as const)
    .filter(([, content]) => !content.includes(0))
}
