/** What adapters and scenarios import from this package, whatever is installed where they are. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Each name that package.json exports, and its source, from the root of the package. */
export const subpaths: Readonly<Record<string, string>> = {
  onceproof: 'src/index.ts',
  'onceproof/once': 'src/impl/once.ts',
  'onceproof/http': 'src/http/index.ts',
  'onceproof/vitest': 'src/vitest.ts',
}

/** Where the package is. */
export const packageFolder = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * What an adapter gets for `import … from 'onceproof'`: the contract, without the harness around
 * it.
 */
const contractPath = fileURLToPath(new URL('../../contract/index.ts', import.meta.url))

/** For esbuild's `alias`, which takes the longest name that fits. */
export const adapterAliases: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(subpaths).map(([name, source]) => [name, path.join(packageFolder, source)])),
  onceproof: contractPath,
}
