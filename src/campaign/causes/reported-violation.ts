/** Selects the violations of one judged run, and adds a story to each. */
import type { Judgement } from '../../check/index.ts'
import type { SourcePosition } from '../../contract/api/source-position.ts'
import type { InvariantName, Violation } from '../../contract/api/verdict.ts'
import { type ScriptNames, withScriptNames } from '../../contract/results/script-names.ts'
import { factsOf } from '../token/nondeterminism.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps, RunResult } from '../types.ts'
import { attributed } from './attributed.ts'
import { decidingStep } from './deciding-step.ts'
import { scriptNames } from './script-names.ts'
import { sourceLineOf } from './source-line.ts'
import { whyOf } from './why/why.ts'

export interface JudgedViolation {
  readonly invariant: InvariantName
  readonly violation: Violation
}

/** A violation with its story and the run that replays it. */
export interface ReportedViolation extends JudgedViolation {
  /** The cause in one sentence. */
  readonly why: string
  /** `why` if it is derived from the facts of the run; null otherwise. */
  readonly reason: string | null
  /** See `whyOf`. */
  readonly ofAnyKind?: true
  /** Names for scripts whose label is only a SHA-1. */
  readonly scripts: ScriptNames
  readonly story: readonly string[]
  readonly sourceLine?: SourcePosition
  readonly eventCount: number
  readonly faultCount: number
  readonly recorded: RecordedRun
}

/** One violation for each invariant and kind, in the order of the verdicts. */
export function violationsOf(judgements: readonly Judgement[]): JudgedViolation[] {
  const found = new Map<string, JudgedViolation>()
  for (const { name, verdict } of judgements) {
    if (verdict.verdict !== 'violated') continue
    for (const violation of verdict.violations) {
      const judged = { invariant: name, violation }
      if (!found.has(wayOf(judged))) found.set(wayOf(judged), judged)
    }
  }
  return [...found.values()]
}

/** The invariant and the kind of the violation. */
export function wayOf({ invariant, violation }: JudgedViolation): string {
  return `${invariant} ${violation.kind}`
}

export function reportViolation(
  { invariant, violation }: JudgedViolation,
  result: Pick<RunResult, 'history' | 'executed' | 'sentFor'>,
  recorded: RecordedRun,
  deps: Pick<CampaignDeps, 'report'>,
): ReportedViolation {
  const run = attributed(result)
  const scripts = scriptNames(run)
  const { why, reason, ofAnyKind, shown = [] } = whyOf(run, violation)
  const reported = { ...violation, events: [...new Set([...violation.events, ...shown])].sort((a, b) => a - b) }
  const sourceLine = sourceLineOf(run, violation)
  return {
    invariant,
    violation,
    recorded,
    why: withScriptNames(why, scripts),
    reason,
    ...(ofAnyKind === undefined ? {} : { ofAnyKind }),
    scripts,
    ...(sourceLine === undefined ? {} : { sourceLine }),
    story: deps
      .report(run.history, reported, decidingStep(run, violation), why)
      .map((line) => withScriptNames(line, scripts)),
    eventCount: factsOf(result.history).events.length,
    faultCount: recorded.plan.faults.length,
  }
}
