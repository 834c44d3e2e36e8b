import type { Detail } from '../report/run-telling.ts'
import { UsageError } from './usage-error.ts'

export interface DetailOptions {
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/** @throws UsageError where both are asked for */
export function detailOf({ quiet = false, verbose = false }: DetailOptions): Detail {
  if (quiet && verbose) throw new UsageError('--quiet and --verbose', 'give one of them')
  return quiet ? 'quiet' : verbose ? 'verbose' : 'usual'
}
