import fs from 'node:fs'
import { pathToFileURL } from 'node:url'
import { temporaryFolder, write } from '../cli/run-cli.ts'

const project = new URL('../../', import.meta.url)

/** Runs the first example of a package's README and returns what it exports. */
export async function readmeExample(packageName: string): Promise<Record<string, unknown>> {
  const readme = fs.readFileSync(new URL(`packages/${packageName}/README.md`, project), 'utf8')
  const [, example] = /```ts\n(.*?)```/s.exec(readme)!
  const folder = temporaryFolder()
  fs.symlinkSync(new URL('node_modules', project), `${folder}/node_modules`)
  return await import(pathToFileURL(write(folder, 'example.ts', example!)).href)
}
