import { accepted } from '../src/compare/accepted.ts'
import { quote } from '../src/compare/quote.ts'
import type { FidelityResult } from './campaign.ts'
import type { Difference } from './compare/run-sequence.ts'
import { describeStep } from './step.ts'

export function printReport(result: FidelityResult): void {
  const { total, notBytes } = sums(result)
  console.log(`seed ${result.seed}, against Redis ${result.redisVersion}`)
  for (const [name, counts] of sorted(result)) {
    const compared = counts.bytes + counts.rule + counts.accepted + counts.different
    const apart = compared - counts.bytes
    const note = apart === 0 ? '' : `  not byte for byte: ${percent(apart, compared)}`
    console.log(`  ${name.padEnd(24)} ${String(compared).padStart(7)}${note}`)
  }
  for (const [what, times] of result.unsupported) console.log(`  not simulated: ${what} (${times} times)`)
  for (const difference of result.differences) console.log(`\n${describe(difference)}`)
  if (accepted.length > 0)
    console.log(`accepted differences on file: ${accepted.length} (packages/redis-sim/src/compare/accepted.ts)`)
  for (const { sequence, step, real, simulated } of result.unconfirmed) {
    console.log(
      `did not come back when run again: ${sequence.name}, ${describeStep(step)}: ${quote(real)}, ${quote(simulated)}`,
    )
  }
  const { sequences, scripts, stories } = result
  console.log(`${total} replies compared (${sequences} random sequences, ${scripts} scripts, ${stories} stories)`)
  console.log(`not compared byte for byte: ${percent(notBytes, total)}`)
  console.log(result.differences.length === 0 ? 'no differences' : `${result.differences.length} differences`)
}

/**
 * The shape of `--json`: { schemaVersion, seed, redis, sequences, scripts, stories, compared,
 * shareNotBytes, commands: { name: { bytes, rule, accepted, different } }, unconfirmed,
 * unsupported: { name: times }, differences: [{ sequence, step, real, simulated, steps }] }. In
 * addition `sentinels`: null if they were skipped, or { stories, facts, times: [{ story, what,
 * realMs, simulatedMs }], differences, unconfirmed }.
 */
export function toJson(result: FidelityResult): object {
  const { total, notBytes } = sums(result)
  return {
    schemaVersion: 1,
    seed: result.seed,
    redis: result.redisVersion,
    sequences: result.sequences,
    scripts: result.scripts,
    stories: result.stories,
    compared: total,
    shareNotBytes: total === 0 ? 0 : notBytes / total,
    commands: Object.fromEntries(sorted(result)),
    unconfirmed: result.unconfirmed.length,
    unsupported: Object.fromEntries(result.unsupported),
    differences: result.differences.map((difference) => ({
      sequence: difference.sequence.name,
      step: describeStep(difference.step),
      real: difference.real,
      simulated: difference.simulated,
      steps: difference.sequence.steps.map(describeStep),
    })),
  }
}

function describe({ sequence, at, step, real, simulated }: Difference): string {
  return [
    `difference in ${sequence.name}:`,
    ...sequence.steps.slice(0, at).map((earlier) => `    ${describeStep(earlier)}`),
    `  > ${describeStep(step)}`,
    `    real:      ${shown(real)}`,
    `    simulated: ${shown(simulated)}`,
  ].join('\n')
}

function shown(reply: string): string {
  return reply.length > 600 ? `${quote(reply.slice(0, 600))}… (${reply.length} bytes)` : quote(reply)
}

function sums({ commands }: FidelityResult): { total: number; notBytes: number } {
  let total = 0
  let notBytes = 0
  for (const counts of commands.values()) {
    total += counts.bytes + counts.rule + counts.accepted + counts.different
    notBytes += counts.rule + counts.accepted
  }
  return { total, notBytes }
}

function sorted({ commands }: FidelityResult) {
  return [...commands].sort(([a], [b]) => (a < b ? -1 : 1))
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(2)} %`
}
