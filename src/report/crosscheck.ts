/** What the crosscheck found, in words: whether a real Redis answers the campaign's own commands as the model did. */
import type { CrosscheckResult, Finding } from '../contract/results.ts'
import { visible } from '../contract/visible.ts'
import { counted, grouped } from './figures.ts'

/** One sentence. */
export function crosscheckSentence(crosscheck: CrosscheckResult | undefined): string {
  if (crosscheck === undefined || crosscheck.verdict === 'skipped')
    return `the model was not compared with a real Redis in this campaign: ${crosscheck?.reason ?? 'it was not asked for'}`
  const { redis, runs, commands } = crosscheck
  const what = `${counted(commands, 'command')} of ${counted(runs, 'run')} of this campaign`
  return crosscheck.verdict === 'agrees'
    ? `model agrees on ${what}: Redis ${redis} answered them alike`
    : `model disagrees with Redis ${redis}, after it agreed on ${what}`
}

/** What was not compared, and how it was that was not compared byte for byte; empty where there is nothing to say. */
export function crosscheckRest(crosscheck: CrosscheckResult | undefined): string {
  if (crosscheck === undefined || crosscheck.verdict === 'skipped') return ''
  const left = Object.entries(crosscheck.leftOut).map(([why, commands]) => `${grouped(commands)} ${why}`)
  const parts = [
    ...(crosscheck.byRule > 0 ? [`${grouped(crosscheck.byRule)} not byte for byte, but by a rule`] : []),
    ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
  ]
  return parts.join('; ')
}

/** What a real Redis says of the run that a finding shows, in a short phrase; null for what is no finding. */
export function askedPhrase(
  { id, implementation, sink }: { readonly id: string | null } & Pick<Finding, 'implementation' | 'sink'>,
  crosscheck: CrosscheckResult | undefined,
): string | null {
  if (id === null) return null
  if (crosscheck === undefined || crosscheck.verdict === 'skipped')
    return `not asked of a real Redis: ${crosscheck?.reason ?? 'none was wanted'}`
  const asked = crosscheck.counterexamples.find(
    (one) => one.finding === id && one.implementation === implementation && one.sink === sink,
  )
  if (asked === undefined) return 'not asked of a real Redis: the check had ended'
  const { commands } = asked
  // Greetings of clients are no part of a story.
  const leftOut = Object.entries(asked.leftOut).filter(([why]) => why !== 'what a server says of itself')
  const left = leftOut.reduce((sum, [, count]) => sum + count, 0)
  const reasons = leftOut.map(([why]) => why).join(', ')
  if (commands === 0) return `not asked of a real Redis: ${reasons === '' ? 'it cannot play a Cluster' : reasons}`
  const all =
    left === 0 ? `its ${counted(commands, 'command')}` : `${commands} of its ${grouped(commands + left)} commands`
  const differs = crosscheck.verdict === 'disagrees' && crosscheck.disagreement.finding === id
  return differs
    ? `Redis ${crosscheck.redis} answers otherwise`
    : `Redis ${crosscheck.redis} answers ${all} alike${left === 0 ? '' : ` (left out: ${reasons})`}`
}

/** For a terminal. */
export function crosscheckLines(crosscheck: CrosscheckResult | undefined): string[] {
  const rest = crosscheckRest(crosscheck)
  const lines = [crosscheckSentence(crosscheck), ...(rest === '' ? [] : [`  ${rest}`])]
  if (crosscheck?.verdict !== 'disagrees') return lines
  const { command, real, model, implementation, scenario, run, replay } = crosscheck.disagreement
  return [
    ...lines,
    `  ${implementation} under ${scenario}, run ${run}: ${visible(command)}`,
    `    Redis: ${shown(real)}`,
    `    model: ${shown(model)}`,
    `replay: ${replay}`,
  ]
}

/** A reply's bytes, on one line. */
export function shown(reply: string): string {
  return visible(JSON.stringify(reply.length <= 600 ? reply : `${reply.slice(0, 597)}...`))
}
