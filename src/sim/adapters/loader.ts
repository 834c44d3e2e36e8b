/** The loader of programs, configured for this package. */
import path from 'node:path'
import { embedIn } from 'virtual-node/runtime'
import { exportedLayer, type Permission } from '../../contract/api/implementation.ts'
import { adapterAliases, packageFolder } from './subpaths.ts'

const isIn = (file: string, ...folder: string[]): boolean =>
  file.startsWith(path.join(packageFolder, ...folder) + path.sep)

embedIn({
  folder: packageFolder,
  bundles: path.join(packageFolder, 'dist/adapters/'),
  modules: adapterAliases,
  // The sources of the reference are a program; all other sources belong to the harness.
  isProgram: (file) => isIn(file, 'src', 'impl') || !(isIn(file, 'src') || isIn(file, 'packages')),
  exportOf: exportedLayer,
  mayReadFiles(exported) {
    const { allow } = (exported ?? {}) as { allow?: readonly Permission[] }
    return Array.isArray(allow) && allow.includes('fs-read')
  },
})

export { bundleProgram, graphDigest, importsOf, ModuleGraph, ReadableFiles } from 'virtual-node/runtime'
