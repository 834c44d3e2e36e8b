import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { contractPath } from './bundle.ts'
import { LoadError } from './load-error.ts'
import { compileProblem } from './own-names.ts'

/**
 * A digest over the contents of a file and of all that it imports, packages too. Equal on every machine: places do not
 * count.
 * @throws LoadError when it cannot be compiled
 */
export async function graphDigest(file: string): Promise<string> {
  try {
    const { metafile } = await build({
      entryPoints: [file],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      write: false,
      outfile: `${file}.bundle.js`,
      metafile: true,
      logLevel: 'silent',
      alias: { onceproof: contractPath },
      external: ['*.node'],
      absWorkingDir: path.dirname(file),
    })
    const contents = Object.keys(metafile.inputs).map((input) =>
      hash(fs.readFileSync(path.resolve(path.dirname(file), input))),
    )
    return hash(contents.sort().join()).slice(0, 16)
  } catch (error) {
    throw new LoadError(file, `it cannot be compiled: ${compileProblem(error)}`)
  }
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
