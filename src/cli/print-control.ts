import type { PairResult } from '../contract/results.ts'
import type { Output } from './output.ts'

/** What a default run ends with: a layer that must break, and how it did. */
export function printControl(control: PairResult, output: Output): void {
  const [violation] = control.violations
  if (violation === undefined) return
  output.line(`control: ${control.implementation} under ${control.scenario} breaks, as it must`)
  for (const line of violation.story) output.line(`  ${line}`)
  output.line(`replay: ${violation.replay}`)
}
