import path from 'node:path'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { temporaryFolder, write } from './run-cli.ts'

const inPackage = (file: string) => JSON.stringify(path.join(packageFolder, file))

/**
 * A folder with a next version that misreads the marker, and with the reference under another id.
 */
export function twoVersionsProject(): string {
  const cwd = temporaryFolder()
  const versionTwo = inPackage('implementations/canaries/parts/marker-version-two.ts')
  write(cwd, 'next.ts', `export { default } from ${versionTwo}`)
  const reference = inPackage('implementations/reference/reference.ts')
  write(cwd, 'again.ts', `import reference from ${reference}\nexport default { ...reference, id: 'reference-again' }`)
  write(cwd, 'nothing.js', '')
  return cwd
}

/** Each version holds on its own. */
export const breaks = ['--impl', 'marker-before-plain-sink', '--with-next', './next.ts'] as const
export const breaksId = 'marker-before-plain-sink with-next marker-version-two'
export const holds = ['--impl', 'reference', '--with-next', './again.ts'] as const
export const holdsId = 'reference with-next reference-again'
