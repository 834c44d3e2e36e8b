/** What the gate found, in words: whether a real Redis answers the campaign's own commands as the model did. */
import type { GateResult } from '../contract/results.ts'
import { counted, grouped } from './figures.ts'

/** One sentence. */
export function gateSentence(gate: GateResult | undefined): string {
  if (gate === undefined || gate.verdict === 'skipped')
    return `the model was not compared with a real Redis in this campaign: ${gate?.reason ?? 'it was not asked for'}`
  const { redis, runs, commands } = gate
  const what = `${counted(commands, 'command')} of ${counted(runs, 'run')} of this campaign`
  return gate.verdict === 'agrees'
    ? `model agrees on ${what}: Redis ${redis} answered them alike`
    : `model disagrees with Redis ${redis}, after it agreed on ${what}`
}

/** What was not compared, and how it was that was not compared byte for byte; empty where there is nothing to say. */
export function gateRest(gate: GateResult | undefined): string {
  if (gate === undefined || gate.verdict === 'skipped') return ''
  const left = Object.entries(gate.leftOut).map(([why, commands]) => `${grouped(commands)} ${why}`)
  const parts = [
    ...(gate.byRule > 0 ? [`${grouped(gate.byRule)} not byte for byte, but by a rule`] : []),
    ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
  ]
  return parts.join('; ')
}

/** For a terminal. */
export function gateLines(gate: GateResult | undefined): string[] {
  const rest = gateRest(gate)
  const lines = [gateSentence(gate), ...(rest === '' ? [] : [`  ${rest}`])]
  if (gate?.verdict !== 'disagrees') return lines
  const { command, real, model, implementation, scenario, run, replay } = gate.disagreement
  return [
    ...lines,
    `  ${implementation} under ${scenario}, run ${run}: ${command}`,
    `    Redis: ${shown(real)}`,
    `    model: ${shown(model)}`,
    `replay: ${replay}`,
  ]
}

/** A reply's bytes, on one line. */
export function shown(reply: string): string {
  return JSON.stringify(reply.length <= 600 ? reply : `${reply.slice(0, 597)}...`)
}
