/** Groups the violations of all pairs of one layer and sink by root cause and by cause. */

import { worstFirst } from '../../contract/api/severity.ts'
import { insteadOf } from '../../contract/results/remedy-page.ts'
import type { CampaignViolation, Finding, RootCause } from '../../contract/results/results.ts'
import { visible } from '../../contract/results/visible.ts'
import { type Explained, explainLayer, type SeenPath } from '../explain/explain.ts'
import { isAssumed, likelyFirst, rootOf } from '../explain/root-cause.ts'
import { causeName } from '../explain/same-cause.ts'
import { simplestFirst } from '../explain/simplest-first.ts'
import type { ShownRun } from '../explain/violation-result.ts'
import { drawnResult, keptRun, nearestPassingResult, reportedResult } from '../explain/violation-result.ts'
import type { CampaignContext, CampaignRequest } from '../play/campaign-request.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { firstIfSoon, whyNot } from '../replay-live/on-servers.ts'
import { pairName } from '../token/pair-ref.ts'

/** The findings of some pairs, and the violations of each pair, in the order of the pairs. */
export interface Findings {
  readonly rootCauses: readonly RootCause[]
  readonly findings: readonly Finding[]
  readonly violations: ReadonlyMap<PlayedPair, readonly CampaignViolation[]>
  /** The runs that the findings show, in the order of the findings. */
  readonly shown: readonly ShownRun[]
}

/** The pairs that can be judged, grouped by layer and sink. */
export function layersOf(pairs: readonly PlayedPair[]): PlayedPair[][] {
  const layers = new Map<string, PlayedPair[]>()
  for (const pair of pairs.filter(({ progress }) => progress.failure === null)) {
    const { implementationPath, sink } = pair.progress.task
    const layer = `${implementationPath} ${sink}`
    layers.set(layer, [...(layers.get(layer) ?? []), pair])
  }
  return [...layers.values()]
}

/** Every path of the pairs. */
export function pathsOf(pairs: readonly PlayedPair[]): SeenPath[] {
  return pairs.flatMap(({ progress, plan }) =>
    [...progress.tally.paths.values()].map((path) => ({ task: progress.task, runMs: plan.choice.runMs, path })),
  )
}

/** The findings of one layer. `pairs`: all pairs of one layer and sink. */
export async function findingsOfLayer(
  pairs: readonly PlayedPair[],
  { cheaper, explain, reports }: Pick<CampaignRequest, 'cheaper' | 'explain' | 'reports'>,
  { executor, keep, deps }: Pick<CampaignContext, 'executor' | 'keep' | 'deps'>,
): Promise<Findings> {
  const seen = pathsOf(pairs)
  const budget = deps.stopped() ? { layer: 0, path: 0, checks: 0 } : explain
  const explained = await explainLayer(seen, cheaper, budget, executor)
  const roots = rootsOf(explained)
  const inOrder = roots.flatMap(({ members }, root) => members.map((one) => ({ one, rootCause: String(root + 1) })))
  const byPath = new Map<SeenPath['path'], string>()
  const findings = inOrder.map(({ one, rootCause }, at) => {
    const id = `F${at + 1}`
    // A path whose runs have several causes is assigned to the cause of most of its runs.
    for (const { seen, runs } of one.seen) if (runs.length * 2 > seen.path.runs.length) byPath.set(seen.path, id)
    return findingOf({ id, rootCause }, one, pairs[0]!, { reports }, { keep })
  })
  const violations = pairs.map((pair) => [pair, drawnViolations(pair, byPath)] as const)
  const scenarios = [...pairs.map(({ progress }) => progress.task), ...cheaper]
  const shown = inOrder.flatMap(({ one }, at) => {
    const { recorded, timeline, nearestPassing } = one.shown
    const where = scenarios.find(({ scenarioName }) => scenarioName === recorded.scenario)
    if (where === undefined || timeline === null) return []
    const { scenarioPath, scenarioName } = where
    const task = { ...pairs[0]!.progress.task, scenarioPath, scenarioName }
    return [{ finding: findings[at]!, recorded, task, timeline, nearestPassing: nearestPassing?.timeline ?? null }]
  })
  const rootCauses = rootCausesOf(findings).map((root, at) => ({
    ...root,
    ...liveOf(roots[at]!, { reports }, { keep }),
  }))
  return { rootCauses, findings, violations: new Map(violations), shown }
}

interface Root {
  /** The first member is the example of the root cause. */
  readonly members: readonly Explained[]
}

/** Describes the run of this root cause that takes the least time on real servers. */
function liveOf(
  { members }: Root,
  request: Pick<CampaignRequest, 'reports'>,
  context: Pick<CampaignContext, 'keep'>,
): Pick<RootCause, 'live'> {
  const found = members.map(({ onServers }) => onServers).reduce(firstIfSoon)
  if (found === undefined) return {}
  if (!('ms' in found)) return { live: { cannot: visible(whyNot(found)) } }
  const { recorded, breaks, ms } = found
  const kept = keptRun(recorded, [breaks.invariant, breaks.kind, 'live'], request, context)
  if ('excess' in kept) return { live: { cannot: `the run cannot be stored in a token or a file: ${kept.excess}` } }
  return { live: { scenario: recorded.scenario, ms, breaks, ...kept } }
}

/**
 * The root causes, the likeliest first. In each root cause, the shrunk example comes first, then
 * the members by severity.
 */
export function rootsOf(explained: readonly Explained[]): Root[] {
  const byName = new Map<string, Explained[]>()
  for (const one of explained) {
    const { name } = rootOf(one.shown)
    byName.set(name, [...(byName.get(name) ?? []), one])
  }
  const groups = [...byName.values()].map((members) => ({ members: members.sort(gravestFirst) }))
  return withoutVague(groups.sort((a, b) => likelyFirst(likely(a), likely(b))))
}

const likely = ({ members }: Root) => ({
  members: members.map(({ shown, seen }) => ({ ...shown, runs: runsIn(seen) })),
})

/**
 * A group without a reason joins the likeliest group with the same section of
 * docs/findings/instead.md, because a separate root cause would name the same change.
 */
function withoutVague(groups: readonly Root[]): Root[] {
  const pageOf = ({ members: [first] }: Root) => insteadOf(first!.cause.kind, first!.shown.why)
  const isVague = ({ members }: Root) =>
    members.every(({ shown }) => shown.reason === null && shown.acceptable === undefined)
  const clear = groups.filter((group) => !isVague(group) && !isAssumed(likely(group)))
  const joins = (group: Root): Root | undefined => {
    const page = pageOf(group)
    return page === null || !isVague(group) ? undefined : clear.find((one) => pageOf(one) === page)
  }
  return groups
    .filter((group) => joins(group) === undefined)
    .map((group) => ({
      members: [group, ...groups.filter((one) => joins(one) === group)].flatMap(({ members }) => members),
    }))
}

/** The root causes of the findings, in the order of the findings. */
export function rootCausesOf(findings: readonly Finding[]): RootCause[] {
  const ids = [...new Set(findings.map(({ rootCause }) => rootCause))]
  return ids.map((id) => {
    const own = findings.filter(({ rootCause }) => rootCause === id)
    const [{ implementation, sink, cause, instead }] = own as [Finding]
    const { name, title, fix, assumes } = rootOf(own[0]!)
    const places = own.flatMap(({ seenIn }) =>
      seenIn.flatMap(({ scenario, runs }) => runs.map((run) => `${scenario} ${run}`)),
    )
    return {
      ...{ id, name, implementation, sink, title, fix },
      ...(assumes === undefined ? {} : { assumes }),
      ...(instead === undefined ? {} : { instead }),
      triggers: cause.needs,
      runs: new Set(places).size,
      scenarios: new Set(own.flatMap(({ seenIn }) => seenIn.map(({ scenario }) => scenario))).size,
      findings: own.map((one) => one.id),
    }
  })
}

/** The first run of each path of a pair, with the id of its finding if the finding is known. */
export function drawnViolations(
  pair: PlayedPair,
  byPath: ReadonlyMap<SeenPath['path'], string> = new Map(),
): CampaignViolation[] {
  return [...pair.progress.tally.paths.values()].map((path) => {
    const finding = byPath.get(path)
    const drawn = drawnResult(pair.progress.task, pair.pair, path)
    return finding === undefined ? drawn : { ...drawn, finding }
  })
}

function findingOf(
  ids: Pick<Finding, 'id' | 'rootCause'>,
  { cause, shown, seen }: Explained,
  { pair, progress }: PlayedPair,
  request: Pick<CampaignRequest, 'reports'>,
  context: Pick<CampaignContext, 'keep'>,
): Finding {
  // The members are in a fixed order, because results are compared byte by byte.
  const { invariant, kind, path, decidedBy, needs, sinkForgot } = cause
  const { task } = seen[0]!.seen
  const otherKinds = [...new Set(seen.map((one) => one.seen.path.kind))].filter((one) => one !== kind).sort()
  const found = { ...pairName(task), seed: task.seed, run: seen[0]!.runs[0]! }
  return {
    ...ids,
    implementation: pair.implementation.implementation.id,
    sink: progress.task.sink,
    cause: { invariant, kind, path, decidedBy, needs, ...(sinkForgot === undefined ? {} : { sinkForgot }) },
    ...(otherKinds.length === 0 ? {} : { otherKinds }),
    ...(shown.acceptable === undefined ? {} : { acceptable: shown.acceptable }),
    why: visible(shown.why),
    ...(Object.keys(shown.scripts).length === 0 ? {} : { scripts: shown.scripts }),
    ...whereSeen(seen),
    shrunk: shown.shrunk,
    scenario: shown.recorded.scenario,
    ...(shown.drawnIn === undefined ? {} : { drawnIn: shown.drawnIn }),
    ...reportedResult(shown, found, request, context),
    ...(shown.nearestPassing === undefined
      ? {}
      : { neighbour: nearestPassingResult(shown.nearestPassing, cause, request, context) }),
  }
}

/** The number of runs in total, and the runs of each scenario. */
export function whereSeen(seen: Explained['seen']): Pick<Finding, 'runs' | 'seenIn'> {
  const byScenario = new Map<string, number[]>()
  for (const { seen: one, runs } of seen) {
    const name = one.task.scenarioName
    byScenario.set(name, [...(byScenario.get(name) ?? []), ...runs])
  }
  const seenIn = [...byScenario].map(([scenario, runs]) => ({
    scenario,
    runs: [...new Set(runs)].sort((a, b) => a - b),
  }))
  return { runs: seenIn.reduce((sum, { runs }) => sum + runs.length, 0), seenIn }
}

const runsIn = (seen: Explained['seen']): number => seen.reduce((sum, { runs }) => sum + runs.length, 0)

/**
 * Orders explained causes: the shrunk example first, then the most severe, the simplest, the most
 * frequent, and then by name.
 */
export function gravestFirst(a: Explained, b: Explained): number {
  const [one, other] = [causeName(a.cause), causeName(b.cause)]
  return (
    Number(b.shown.shrunk) - Number(a.shown.shrunk) ||
    worstFirst(a.cause, b.cause) ||
    simplestFirst(a.shown, b.shown) ||
    runsIn(b.seen) - runsIn(a.seen) ||
    (one < other ? -1 : 1)
  )
}
