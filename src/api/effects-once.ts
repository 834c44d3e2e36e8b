/**
 * An assertion for test suites: a layer applies each key's effect once. Otherwise the test fails
 * with the story of the run.
 */

import path from 'node:path'
import type { ExitCode } from '../contract/api/exit-codes.ts'
import type { Results } from '../contract/results/results.ts'
import { nameOf, type SimulateOptions, simulate } from './simulate.ts'

/**
 * The options of `simulate`, except the layer. By default, `reports` is a separate folder for each
 * layer, next version and sink, such as `reports/my-layer`, so that tests may run in parallel.
 * @example
 * ```ts
 * import type { EffectsOptions } from 'onceproof'
 *
 * const options: EffectsOptions = {
 *   scenarios: ['only-crashes'],
 *   runs: 60,
 *   seed: 1,
 *   sink: 'keyed',
 * }
 * ```
 */
export type EffectsOptions = Omit<SimulateOptions, 'implementation'>

/** The result of a campaign, for the author of a test. */
export interface EffectsVerdict {
  /**
   * Only `holds` is a pass. `none`: the campaign is inconclusive, so a test that expects `broken`
   * must fail as well.
   */
  readonly verdict: 'holds' | 'broken' | 'none'
  /**
   * A text of several lines. If an invariant broke: the story of the run, the command that replays
   * it, and the report's page.
   */
  readonly message: string
  readonly results: Results
}

/**
 * Thrown by `assertAppliesEffectsOnce` if an invariant broke, or if there is no verdict.
 * @example
 * ```ts
 * import { assertAppliesEffectsOnce, EffectsError } from 'onceproof'
 *
 * const options = { scenarios: ['key-reuse'], runs: 20, seed: 1 }
 * const error = await assertAppliesEffectsOnce('001-get-set', options).catch((thrown) => thrown)
 * if (error instanceof EffectsError) console.log(error.message, error.results.rootCauses.length)
 * ```
 */
export class EffectsError extends Error {
  override readonly name = 'EffectsError'
  constructor(
    message: string,
    readonly results: Results,
  ) {
    super(message)
  }
}

/**
 * Plays the layer, and resolves to the results if every invariant held and every goal was reached.
 * @throws EffectsError with the story of the most severe finding, or with the reason why there is
 * no verdict; and the errors of `simulate`
 * @example
 * ```ts
 * import { assertAppliesEffectsOnce } from 'onceproof'
 *
 * const options = { scenarios: ['lost-reply'], runs: 60, seed: 1 }
 * const results = await assertAppliesEffectsOnce('reference', options)
 * console.log(results.exitCode) // 0
 * ```
 */
export async function assertAppliesEffectsOnce(
  implementation: string | URL,
  options: EffectsOptions = {},
): Promise<Results> {
  const { verdict, message, results } = await judgeEffects(implementation, options)
  if (verdict !== 'holds') throw new EffectsError(message, results)
  return results
}

/** Plays a campaign and turns its exit code into a verdict. @throws the errors of `simulate` */
export async function judgeEffects(implementation: string | URL, options: EffectsOptions): Promise<EffectsVerdict> {
  const reports = options.reports ?? `reports/${folderOf(implementation, options)}`
  const results = await simulate({ ...options, implementation, reports })
  // The module is loaded only when there are results to report.
  const { reportEffects } = await import('./report-effects.ts')
  const verdict = verdicts[results.exitCode] ?? 'none'
  return { verdict, message: reportEffects(results, `${reports}/latest/index.html`), results }
}

const verdicts: { readonly [exit in ExitCode]?: 'holds' | 'broken' } = { 0: 'holds', 1: 'broken' }

function folderOf(implementation: string | URL, { withNext, sink }: EffectsOptions): string {
  const next = withNext === undefined ? '' : `-with-next-${folderName(withNext)}`
  return `${folderName(implementation)}${next}${sink ? `-${sink}` : ''}`
}

/** The folder name for a path or URL: `./src/my-layer.ts` becomes `src-my-layer`. */
function folderName(implementation: string | URL): string {
  const named = nameOf(implementation)
  const relative = path.isAbsolute(named) ? path.relative(process.cwd(), named) : named
  const words = relative.replace(/\.[cm]?[jt]s$/, '').match(/[\w-]+/g)
  return words?.join('-') ?? 'layer'
}
