/**
 * For test suites: a layer applies each key's effect once, or the test fails with the story of what
 * happened.
 */

import path from 'node:path'
import type { ExitCode } from '../contract/api/exit-codes.ts'
import type { Results } from '../contract/results/results.ts'
import { nameOf, type SimulateOptions, simulate } from './simulate.ts'

/**
 * `reports`: default is a folder of its own for each layer, next version and sink,
 * `reports/<layer>`, so that tests may run side by side.
 */
export type EffectsOptions = Omit<SimulateOptions, 'implementation'>

/** What a campaign says of a layer, for the one who runs a test. */
export interface EffectsVerdict {
  /** Only `holds` is a pass: without a verdict nothing is proved, whichever way the test asks. */
  readonly verdict: 'holds' | 'broken' | 'none'
  /**
   * Several lines. Of what broke: its story, the command that replays it, and the report's page.
   */
  readonly message: string
  readonly results: Results
}

/** What `assertAppliesEffectsOnce` throws: something broke, or nothing is known. */
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
 * Plays the layer, and resolves to the results where every invariant held and every goal was
 * reached.
 * @throws EffectsError with the story of the gravest finding, or with why there is no verdict; as
 * `simulate`
 */
export async function assertAppliesEffectsOnce(
  implementation: string | URL,
  options: EffectsOptions = {},
): Promise<Results> {
  const { verdict, message, results } = await judgeEffects(implementation, options)
  if (verdict !== 'holds') throw new EffectsError(message, results)
  return results
}

/** @throws as `simulate` */
export async function judgeEffects(implementation: string | URL, options: EffectsOptions): Promise<EffectsVerdict> {
  const reports = options.reports ?? `reports/${folderOf(implementation, options)}`
  const results = await simulate({ ...options, implementation, reports })
  // What tells results is loaded where there are some.
  const { reportEffects } = await import('./report-effects.ts')
  const verdict = verdicts[results.exitCode] ?? 'none'
  return { verdict, message: reportEffects(results, `${reports}/latest/index.html`), results }
}

const verdicts: { readonly [exit in ExitCode]?: 'holds' | 'broken' } = { 0: 'holds', 1: 'broken' }

function folderOf(implementation: string | URL, { withNext, sink }: EffectsOptions): string {
  const next = withNext === undefined ? '' : `-with-next-${folderName(withNext)}`
  return `${folderName(implementation)}${next}${sink ? `-${sink}` : ''}`
}

/** `./src/my-layer.ts`, however it is named: `src-my-layer`. */
function folderName(implementation: string | URL): string {
  const named = nameOf(implementation)
  const relative = path.isAbsolute(named) ? path.relative(process.cwd(), named) : named
  const words = relative.replace(/\.[cm]?[jt]s$/, '').match(/[\w-]+/g)
  return words?.join('-') ?? 'layer'
}
