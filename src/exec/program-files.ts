import fs from 'node:fs'
import path from 'node:path'
import { programWords } from '../contract/api/program-name.ts'

/**
 * The files that the words of a program name, by where they are: none that these load, and no
 * program of the system's.
 */
export function programFiles(name: string): string[] {
  const [program = '', ...args] = programWords(name) ?? []
  const named = /[/\\]/.test(program) ? [program, ...args] : args
  return named
    .map((word) => path.resolve(word))
    .filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile())
}

/**
 * Those of them that are text, with what is in them: what is compiled differs from machine to
 * machine, though its source does not.
 */
export function scriptFiles(name: string): (readonly [file: string, content: Buffer])[] {
  return programFiles(name)
    .map((file) => [file, fs.readFileSync(file)] as const)
    .filter(([, content]) => !content.includes(0))
}
