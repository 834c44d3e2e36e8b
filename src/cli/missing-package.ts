/**
 * Errors about missing peer dependencies. Some commands need packages that users install
 * themselves.
 */
import fs from 'node:fs'
import path from 'node:path'
import { LoadError } from 'virtual-node/runtime'
import { packageFolder } from './catalogue.ts'

/** The missing package and how to install it; null for any other error. */
export function missingPackage(error: unknown): { culprit: string; remedy: string } | null {
  const culprit = nameIn(error) ?? ''
  const [, major] = /\^(\d+)[^^]*$/.exec(peers()[culprit] ?? '') ?? []
  return major === undefined ? null : { culprit, remedy: `not installed; npm install ${culprit}@${major}` }
}

/**
 * The package that Node did not find, or that esbuild did not find for a layer of Onceproof. For a
 * user's layer, the error of esbuild is reported with the file instead.
 */
function nameIn(error: unknown): string | undefined {
  if (error instanceof LoadError)
    return error.culprit.startsWith(packageFolder) ? /Could not resolve "(.+?)"/.exec(error.remedy)?.[1] : undefined
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  return code === 'ERR_MODULE_NOT_FOUND' ? /^Cannot find package '(.+?)'/.exec(message)?.[1] : undefined
}

function peers(): { readonly [name: string]: string } {
  return JSON.parse(fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8')).peerDependencies
}
