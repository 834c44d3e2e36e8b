import type { Detail } from '../report/run-report.ts'
import type { DetailOptions } from './command-table.ts'
import { UsageError } from './usage-error.ts'

/** @throws UsageError if both `quiet` and `verbose` are given */
export function detailOf({ quiet = false, verbose = false }: DetailOptions): Detail {
  if (quiet && verbose) throw new UsageError('--quiet and --verbose', 'give only one of them')
  return quiet ? 'quiet' : verbose ? 'verbose' : 'usual'
}
