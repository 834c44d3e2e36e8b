import type { AcceptedRisk } from './risk.ts'
import type { SinkKind } from './sink.ts'

/**
 * The settings of a project in `onceproof.config.ts`. Options of the command line take precedence.
 * Paths are relative to the folder of this file.
 * @example
 * ```ts
 * import type { Config } from 'onceproof'
 *
 * const config: Config = {
 *   implementations: ['./layers/*.ts'],
 *   runs: 200,
 *   sinks: ['plain', 'keyed'],
 * }
 * ```
 */
export interface Config {
  /** Ids, paths or globs, and rolling upgrades. Default: the reference. */
  readonly implementations?: readonly (string | RollingUpgrade)[]
  /** Ids, paths or globs. Default: the whole catalogue. */
  readonly scenarios?: readonly string[]
  /** For each layer and scenario. Default: until runs add no new coverage. */
  readonly runs?: number
  /** Default 1. */
  readonly seed?: number
  /** The folder of reports. Default: `reports`. */
  readonly reports?: string
  /** The kinds of sinks. Each layer is played on those that it can use. Default: `plain`. */
  readonly sinks?: readonly SinkKind[]
  /** Risks that are accepted for every layer, in addition to those of its adapter. */
  readonly accepts?: readonly AcceptedRisk[]
}

/**
 * Consumers of two versions of a layer at once, while the second replaces the first: `--impl a
 * --with-next b`.
 * @example
 * ```ts
 * import type { RollingUpgrade } from 'onceproof'
 *
 * const upgrade: RollingUpgrade = { implementation: './layer-1.ts', withNext: './layer-2.ts' }
 * ```
 */
export interface RollingUpgrade {
  /** Deployed first: an id, a path or a glob. */
  readonly implementation: string
  /** The version that replaces it: an id or a path. `--with-next` takes precedence. */
  readonly withNext: string
}

/**
 * Names the type for editors; the command line checks it.
 * @example
 * ```ts
 * import { defineConfig } from 'onceproof'
 * export default defineConfig({ implementations: ['./my-layer.ts'], seed: 7 })
 * ```
 */
export function defineConfig(config: Config): Config {
  return config
}
