import fs from 'node:fs'
import path from 'node:path'
import { makeFolder } from './make-folder.ts'
import { written } from './unwritten.ts'

/**
 * Writes a file that the user requested with `option`. False if it cannot be written; a line on
 * standard error then reports it.
 */
export function leaveFile(option: string, file: string, text: string, how: 'write' | 'append' = 'write'): boolean {
  const remedyOf = (code: string) => `not writable (${code}); choose another file`
  return written(`${option} ${file}`, remedyOf, () => {
    if (how === 'append') return fs.appendFileSync(file, text)
    makeFolder(path.dirname(file))
    fs.writeFileSync(file, text)
  })
}
