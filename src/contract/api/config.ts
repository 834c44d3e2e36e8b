import type { AcceptedRisk } from './risk.ts'
import type { SinkKind } from './sink.ts'

/**
 * What `onceproof.config.ts` says of a project. Options of the command line win over it. Paths
 * start at its folder.
 */
export interface Config {
  /** Ids, paths or globs, and rolling upgrades. Default: the reference. */
  readonly implementations?: readonly (string | RollingUpgrade)[]
  /** Ids, paths or globs. Default: all of the catalogue. */
  readonly scenarios?: readonly string[]
  /** For each layer and scenario. Default: until runs bring nothing new. */
  readonly runs?: number
  /** Default 1. */
  readonly seed?: number
  /** The folder of reports. Default: `reports`. */
  readonly reports?: string
  /**
   * What effects reach: each layer is played on those of them that it can use. Default: `plain`.
   */
  readonly sinks?: readonly SinkKind[]
  /** Risks that are accepted for every layer, beside those of its adapter. */
  readonly accepts?: readonly AcceptedRisk[]
}

/**
 * Consumers of two versions of a layer at once, while one takes the other's place: `--impl a
 * --with-next b`.
 */
export interface RollingUpgrade {
  /** Deployed first: an id, a path or a glob. */
  readonly implementation: string
  /** The version that takes its place: an id or a path. `--with-next` wins over it. */
  readonly withNext: string
}

/** Names the type for editors; the command line checks it. */
export function defineConfig(config: Config): Config {
  return config
}
