import type { ExitCode } from '../../contract/api/exit-codes.ts'
import type { Finding, LayerCoverage, PairResult, Results, Timings } from '../../contract/results/results.ts'
import type { Picture } from '../../contract/results/timeline.ts'

/** As `timings` has them. */
export type CrosscheckResults = Pick<Timings, 'crosscheck' | 'postgresCrosscheck'>

/** What a campaign found. */
export interface CampaignOutcome {
  readonly bounded: Results['bounded']
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  /** Sorted by implementation, then scenario, then sink. */
  readonly pairs: readonly PairResult[]
  readonly findings: readonly Finding[]
  /** Of findings, in their order; those that were told without playing them again have none. */
  readonly pictures: readonly Picture[]
  readonly notRun: Results['notRun']
  readonly control: PairResult | null
  readonly coverage: readonly LayerCoverage[]
  /** Why the harness cannot be trusted, in one sentence; null where it can. */
  readonly harnessFailure: string | null
  readonly crosschecks: CrosscheckResults
}
