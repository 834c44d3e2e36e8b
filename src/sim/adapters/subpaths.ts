/**
 * Resolves imports of this package in adapters and scenarios, whatever is installed next to them.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Each name that package.json exports, with its source relative to the package's root. */
export const subpaths: Readonly<Record<string, string>> = {
  onceproof: 'src/index.ts',
  'onceproof/once': 'src/impl/once.ts',
  'onceproof/once/opentelemetry': 'src/impl/opentelemetry.ts',
  'onceproof/http': 'src/http/index.ts',
  'onceproof/vitest': 'src/vitest.ts',
}

export const packageFolder = fileURLToPath(new URL('../../../', import.meta.url))

/** The target of `import … from 'onceproof'` in an adapter: the contract without the harness. */
const contractPath = fileURLToPath(new URL('../../contract/index.ts', import.meta.url))

/** For esbuild's `alias`, which takes the longest name that matches. */
export const adapterAliases: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(subpaths).map(([name, source]) => [name, path.join(packageFolder, source)])),
  onceproof: contractPath,
}
