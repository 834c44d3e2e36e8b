import fs from 'node:fs'
import path from 'node:path'
import { visible } from '../contract/results/visible.ts'
import { makeFolder } from './make-folder.ts'

/** Writes a file that `option` names. False where it cannot be written; a line on standard error says so. */
export function leaveFile(option: string, file: string, text: string, how: 'write' | 'append' = 'write'): boolean {
  try {
    if (how === 'append') fs.appendFileSync(file, text)
    else {
      makeFolder(path.dirname(file))
      fs.writeFileSync(file, text)
    }
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code !== 'string') throw error
    process.stderr.write(`onceproof: ${option} ${visible(file)}: it cannot be written (${code}); name another file\n`)
    return false
  }
}
