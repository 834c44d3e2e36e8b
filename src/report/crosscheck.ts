/**
 * Describes the results of the crosschecks: whether a real server answered the campaign's own
 * commands like the model.
 */
import type { CrosscheckDisagreement, CrosscheckFigures, Finding, Timings } from '../contract/results/results.ts'
import { visible } from '../contract/results/visible.ts'
import { counted, grouped } from './figures.ts'

type Compared = Pick<Timings, 'crosscheck' | 'postgresCrosscheck'>

/** The crosscheck of one store, with the words that describe it. */
interface Reported {
  readonly server: 'Redis' | 'PostgreSQL'
  readonly command: 'command' | 'statement'
  readonly byRule: string
  readonly found:
    | { readonly verdict: 'skipped'; readonly reason: string }
    | ({ readonly verdict: 'agrees' } & Figures)
    | ({ readonly verdict: 'disagrees'; readonly disagreement: CrosscheckDisagreement } & Figures)
}

type Figures = CrosscheckFigures & { readonly version: string }

const notAskedFor = { verdict: 'skipped', reason: 'not requested' } as const

/** One entry for each store of the campaign's layers. */
function reportedOf(timings: Compared): Reported[] {
  const { postgresCrosscheck } = timings
  const redis = timings.crosscheck !== undefined || postgresCrosscheck === undefined ? [ofRedis(timings)] : []
  return postgresCrosscheck === undefined ? redis : [...redis, ofPostgres(postgresCrosscheck)]
}

function ofRedis({ crosscheck: found = notAskedFor }: Compared): Reported {
  const words = { server: 'Redis', command: 'command', byRule: 'by a rule instead of byte by byte' } as const
  return { ...words, found: 'redis' in found ? { ...found, version: found.redis } : found }
}

function ofPostgres(found: NonNullable<Timings['postgresCrosscheck']>): Reported {
  const words = { server: 'PostgreSQL', command: 'statement', byRule: 'with rows in another order' } as const
  return { ...words, found: found.verdict === 'skipped' ? found : { ...found, version: found.postgres } }
}

/** The result in one sentence. */
function sentenceOf({ server, command, found }: Reported): string {
  if (found.verdict === 'skipped')
    return `the model was not compared with a real ${server} in this campaign: ${found.reason}`
  const { version, runs, commands } = found
  const what = `${counted(commands, command)} of ${counted(runs, 'run')} of this campaign`
  return found.verdict === 'agrees'
    ? `model agrees with ${server} ${version} on ${what}`
    : `model differs from ${server} ${version}, after it agreed on ${what}`
}

/**
 * The numbers of commands that were not compared, or compared by a rule; empty if there are none.
 */
function restOf({ byRule, found }: Reported): string {
  if (found.verdict === 'skipped') return ''
  const left = Object.entries(found.leftOut).map(([why, commands]) => `${grouped(commands)} ${why}`)
  const parts = [
    ...(found.byRule > 0 ? [`${grouped(found.byRule)} ${byRule}`] : []),
    ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
  ]
  return parts.join('; ')
}

/** A store's crosscheck for a page. */
export interface CrosscheckReport {
  readonly server: string
  readonly sentence: string
  /** Further details; empty if there are none. */
  readonly rest: string
  readonly disagreement: CrosscheckDisagreement | null
}

export function crosscheckReports(timings: Compared): CrosscheckReport[] {
  return reportedOf(timings).map((reported) => ({
    server: reported.server,
    sentence: sentenceOf(reported),
    rest: restOf(reported),
    disagreement: reported.found.verdict === 'disagrees' ? reported.found.disagreement : null,
  }))
}

/**
 * The result of the crosscheck for a finding's run, as a short phrase; null for a violation without
 * a finding.
 */
export function askedPhrase(
  finding: { readonly id: string | null } & Pick<Finding, 'implementation' | 'sink'>,
  timings: Compared,
): string | null {
  if (finding.id === null) return null
  const { implementation, id, sink } = finding
  const isOnPostgres = timings.postgresCrosscheck?.implementations.includes(implementation) ?? false
  const phrases = reportedOf(timings).flatMap((reported) => {
    const { found } = reported
    const asked =
      found.verdict === 'skipped'
        ? undefined
        : found.counterexamples.find(
            (one) => one.finding === id && one.implementation === implementation && one.sink === sink,
          )
    // Skips the crosscheck of a store that the layer does not use.
    if (isOnPostgres ? reported.server === 'Redis' && asked === undefined : reported.server === 'PostgreSQL') return []
    return [phraseOf(reported, asked, id)]
  })
  return phrases.join('; ')
}

function phraseOf(
  { server, command, found }: Reported,
  asked: CrosscheckFigures['counterexamples'][number] | undefined,
  id: string | null,
): string {
  if (found.verdict === 'skipped') return `not compared with a real ${server}: ${found.reason}`
  if (asked === undefined) return `not compared with a real ${server}: the check had ended`
  const { commands } = asked
  // Client handshakes are not counted, because a story does not show them.
  const leftOut = Object.entries(asked.leftOut).filter(([why]) => why !== 'server introspection')
  const left = leftOut.reduce((sum, [, count]) => sum + count, 0)
  const reasons = leftOut.map(([why]) => why).join(', ')
  const nothing =
    server === 'Redis' ? 'the comparison does not support Clusters' : 'none of its statements was executed'
  if (commands === 0) return `not compared with a real ${server}: ${reasons === '' ? nothing : reasons}`
  const all =
    left === 0 ? `its ${counted(commands, command)}` : `${commands} of its ${grouped(commands + left)} ${command}s`
  const differs = found.verdict === 'disagrees' && found.disagreement.finding === id
  return differs
    ? `${server} ${found.version} answers otherwise`
    : `${server} ${found.version} answers ${all} alike${left === 0 ? '' : ` (left out: ${reasons})`}`
}

/** Lines for a terminal. `disagreements`: only the crosschecks that disagree. */
export function crosscheckLines(timings: Compared, which: 'all' | 'disagreements' = 'all'): string[] {
  return reportedOf(timings).flatMap((reported) =>
    reported.found.verdict !== 'disagrees' && which === 'disagreements' ? [] : linesOf(reported),
  )
}

/** Texts such as `Redis 7.0.15 agrees on 3,861 commands`, for each store that does not disagree. */
export function comparedTexts(timings: Compared): string[] {
  return reportedOf(timings).flatMap(({ server, command, found }) => {
    if (found.verdict === 'disagrees') return []
    if (found.verdict === 'skipped') return [`not compared with a real ${server}: ${found.reason}`]
    return [`${server} ${found.version} agrees on ${counted(found.commands, command)}`]
  })
}

function linesOf(reported: Reported): string[] {
  const rest = restOf(reported)
  const lines = [sentenceOf(reported), ...(rest === '' ? [] : [`  ${rest}`])]
  if (reported.found.verdict !== 'disagrees') return lines
  const { command, real, model, implementation, scenario, run, replay } = reported.found.disagreement
  const names = [`${reported.server}:`, 'model:']
  const width = Math.max(...names.map((name) => name.length))
  return [
    ...lines,
    `  ${implementation} under ${scenario}, run ${run}: ${visible(command)}`,
    `    ${names[0]!.padEnd(width)} ${shown(real)}`,
    `    ${names[1]!.padEnd(width)} ${shown(model)}`,
    `replay: ${replay}`,
  ]
}

/** A reply's bytes on one line. */
export function shown(reply: string): string {
  return visible(JSON.stringify(reply.length <= 600 ? reply : `${reply.slice(0, 597)}...`))
}

/** A headline that names the model that disagrees; null if none does. */
export function differingModel(timings: Compared): string | null {
  const reported = reportedOf(timings).find(({ found }) => found.verdict === 'disagrees')
  return reported === undefined ? null : `The simulated ${reported.server} differs from the real one.`
}
