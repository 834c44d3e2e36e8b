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
  /** The layers to play: ids, paths or globs, and rolling upgrades. Default: the reference. */
  readonly implementations?: readonly (string | RollingUpgrade)[]
  /** The scenarios to play: ids, paths or globs. Default: the whole catalogue. */
  readonly scenarios?: readonly string[]
  /**
   * The number of runs for each layer and scenario. Default: the campaign ends when runs add no new
   * coverage.
   */
  readonly runs?: number
  /** The seed from which all runs are drawn. Default: 1. */
  readonly seed?: number
  /** The folder of reports. Default: `reports`. */
  readonly reports?: string
  /** The kinds of sinks. Each layer is played on the sinks that it can use. Default: `plain`. */
  readonly sinks?: readonly SinkKind[]
  /** Risks that are accepted for every layer, in addition to those of its adapter. */
  readonly accepts?: readonly AcceptedRisk[]
}

/**
 * A rolling upgrade: consumers of two versions of a layer run at once, while the second version
 * replaces the first. The same as `--impl a --with-next b`.
 * @example
 * ```ts
 * import type { RollingUpgrade } from 'onceproof'
 *
 * const upgrade: RollingUpgrade = { implementation: './layer-1.ts', withNext: './layer-2.ts' }
 * ```
 */
export interface RollingUpgrade {
  /** The version that is deployed first: an id, a path or a glob. */
  readonly implementation: string
  /** The version that replaces it: an id or a path. `--with-next` takes precedence. */
  readonly withNext: string
}

/**
 * Returns its argument. It gives editors the type; the command line checks the config.
 * @example
 * ```ts
 * import { defineConfig } from 'onceproof'
 * export default defineConfig({ implementations: ['./my-layer.ts'], seed: 7 })
 * ```
 */
export function defineConfig(config: Config): Config {
  return config
}
