import fs from 'node:fs'
import { importsOf } from './bundle.ts'
import { LoadError } from './load-error.ts'
import { contentsDigest } from './program-digest.ts'

/**
 * A digest over the contents of a file and of all that it imports, including packages. Equal on
 * every machine, because paths do not count.
 * @throws LoadError if it cannot be compiled
 */
export async function graphDigest(file: string): Promise<string> {
  const files = await importsOf(file).catch((error: Error) => {
    throw new LoadError(file, `it cannot be compiled: ${error.message}`)
  })
  return contentsDigest(files.map((one) => fs.readFileSync(one))).slice(0, 16)
}
