/**
 * Reads the project's `onceproof.config` file. Options of the command line take precedence over it.
 */
import fs from 'node:fs'
import util from 'node:util'
import type { Command } from 'commander'
import { LoadError } from 'virtual-node/runtime'
import type { Config, RollingUpgrade } from '../contract/api/config.ts'
import { acceptsProblem } from '../contract/api/risk.ts'
import { sinkKinds } from '../contract/api/sink.ts'
import type { NamedLayer } from '../contract/api/two-versions.ts'
import type { RunOptions } from './commands/run.ts'
import { importDefault } from './import-default.ts'
import { suggestion } from './nearest.ts'
import { readCount, readSeed } from './options.ts'
import { UsageError } from './usage-error.ts'

const files = ['ts', 'mts', 'js', 'mjs'].map((ending) => `onceproof.config.${ending}`)

/** The config file in the working directory; null if the directory has no config. */
export function configFile(): string | null {
  const found = files.filter((file) => fs.existsSync(file))
  if (found.length > 1) throw new UsageError(found.join(' and '), 'several configs; keep one')
  return found[0] ?? null
}

/**
 * Adds the options of the config that are not on the command line. @throws UsageError, LoadError
 */
export async function withConfig(options: RunOptions, command: Command): Promise<RunOptions> {
  const file = options.config ? configFile() : null
  if (file === null) return options
  const { implementations, scenarios, runs, seed, reports, sinks, accepts } = await loadConfig(file)
  const said = (name: keyof RunOptions): boolean => command.getOptionValueSource(name) === 'cli'
  return {
    ...options,
    ...(said('impl') || implementations === undefined ? {} : { impl: implementations.map(layerOf) }),
    ...(said('scenario') || scenarios === undefined ? {} : { scenario: scenarios }),
    ...(said('runs') || said('time') || said('deep') || runs === undefined ? {} : { runs }),
    ...(said('seed') || seed === undefined ? {} : { seed }),
    ...(said('reports') || reports === undefined ? {} : { reports }),
    ...(said('sink') || sinks === undefined ? {} : { sinks }),
    ...(accepts === undefined ? {} : { accepts }),
  }
}

function layerOf(layer: string | RollingUpgrade): NamedLayer {
  return typeof layer === 'string' ? layer : { from: layer.implementation, next: layer.withNext }
}

async function loadConfig(file: string): Promise<Config> {
  let exported: unknown
  try {
    exported = await importDefault(fs.realpathSync(file))
  } catch (error) {
    if (error instanceof LoadError) throw new UsageError(file, error.remedy)
    const [text] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new UsageError(file, `throws when loaded (${text}); make it load in plain Node first`)
  }
  if (typeof exported !== 'object' || exported === null)
    throw new UsageError(file, 'no default export; export default defineConfig({ … })')
  const config = exported as Record<string, unknown>
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(members, name))
      throw new UsageError(file, `unknown member ${name}; ${suggestion(name, names, `known: ${names.join(', ')}`)}`)
    if (value === undefined) continue
    const why = members[name as keyof Config](value)
    if (why !== null) throw new UsageError(file, `its \`${name}\` ${why}`)
  }
  return config
}

type Check = (value: unknown) => string | null

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const texts: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every(isText) ? null : 'is not a list of ids, paths or globs'

const versions: Readonly<Record<keyof RollingUpgrade, true>> = { implementation: true, withNext: true }

const layers: Check = (value) => {
  if (!Array.isArray(value) || value.length === 0)
    return 'is not a list of ids, paths or globs, or of { implementation, withNext }'
  for (const one of value) {
    if (isText(one)) continue
    if (typeof one !== 'object' || one === null) return `has ${textOf(one)}; name a layer by its id or path`
    const known = Object.keys(versions)
    const unknown = Object.keys(one).find((name) => !Object.hasOwn(versions, name))
    if (unknown !== undefined)
      return `has an unknown member ${unknown}; ${suggestion(unknown, known, `known: ${known.join(' and ')}`)}`
    const missing = known.find((name) => !isText(one[name]))
    if (missing !== undefined) return `has a \`${missing}\` that is not an id or path`
  }
  return null
}

const textOf = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : util.inspect(value))

const asOption =
  (read: (text: string, option: string) => number): Check =>
  (value) => {
    try {
      read(typeof value === 'number' ? String(value) : textOf(value), '')
      return null
    } catch (error) {
      if (error instanceof UsageError) return `is ${textOf(value)}; ${error.remedy.replace(', or `random`', '')}`
      throw error
    }
  }

const members: Readonly<Record<keyof Config, Check>> = {
  implementations: layers,
  scenarios: texts,
  runs: asOption(readCount(1)),
  seed: asOption(readSeed),
  reports: (value) => (isText(value) ? null : 'is not the path of a folder'),
  sinks: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => (sinkKinds as readonly unknown[]).includes(one))
      ? null
      : `is not a list of ${sinkKinds.join(', ')}`,
  accepts: acceptsProblem,
}
const names = Object.keys(members)
