/**
 * Collects the findings so far without playing a run. Can be called at any time, even during a run.
 * Each path is a finding, which shows its first run as it was drawn.
 */
import type { Finding } from '../../contract/results/results.ts'
import { groupsOf, type SeenPath } from '../explain/explain.ts'
import { rootOf } from '../explain/root-cause.ts'
import { drawnResult, remedyOf } from '../explain/violation-result.ts'
import { drawRun } from '../play/draw-run.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { planOf } from '../play/run-chunk.ts'
import { drawnViolations, type Findings, layersOf, pathsOf, rootCausesOf, whereSeen } from './findings.ts'
import { numberedOverSinks } from './number-over-sinks.ts'

/** Shown instead of a story, because a story would require playing the run again. */
const unreported = 'The campaign ended before it replayed this run; replay it with the command below.'

export function findingsSoFar(pairs: readonly PlayedPair[]): Findings {
  const ofSinks = layersOf(pairs)
  const layers = numberedOverSinks(ofSinks, ofSinks.map(ofLayer))
  return {
    rootCauses: layers.flatMap(({ rootCauses }) => rootCauses),
    findings: layers.flatMap(({ findings }) => findings),
    violations: new Map(layers.flatMap(({ violations }) => [...violations])),
    shown: [],
  }
}

function ofLayer(pairs: readonly PlayedPair[]): Findings {
  const found = groupsOf(pathsOf(pairs)).map(({ seen }) => ({
    seen,
    finding: drawnFinding(seen, pairs.find(({ progress }) => progress.task === seen[0]!.task)!),
  }))
  const names = [...new Set(found.map(({ finding }) => rootOf(finding).name))]
  const rootAt = ({ finding }: (typeof found)[number]) => names.indexOf(rootOf(finding).name)
  const byPath = new Map<SeenPath['path'], string>()
  const findings = found
    .sort((a, b) => rootAt(a) - rootAt(b))
    .map((one, at) => {
      const id = `F${at + 1}`
      for (const { path } of one.seen) byPath.set(path, id)
      return { id, rootCause: String(rootAt(one) + 1), ...one.finding }
    })
  const violations = pairs.map((pair) => [pair, drawnViolations(pair, byPath)] as const)
  return { rootCauses: rootCausesOf(findings), findings, violations: new Map(violations), shown: [] }
}

function drawnFinding(
  seen: readonly SeenPath[],
  { pair, progress: { task } }: PlayedPair,
): Omit<Finding, 'id' | 'rootCause'> {
  const { path: shown } = seen[0]!
  const { invariant, kind, path, decidedBy, sinkForgot } = shown
  const { faults } = planOf(task, drawRun(pair.scenario, task.seed, shown.first.run).value.value)
  const { key, seed, run, token, replay, sentence, eventCount, faultCount } = drawnResult(task, pair, shown)
  return {
    implementation: pair.implementation.implementation.id,
    sink: task.sink,
    // No faults were left out in turn, so all of them count as needed.
    cause: {
      invariant,
      kind,
      path,
      decidedBy,
      needs: [...new Set(faults.map((fault) => fault.kind))].sort(),
      ...(sinkForgot === undefined ? {} : { sinkForgot }),
    },
    // The violation's sentence, because a more precise reason would require playing the run again.
    why: sentence,
    ...whereSeen(seen.map((one) => ({ seen: one, runs: one.path.runs }))),
    shrunk: false,
    scenario: task.scenarioName,
    ...{ key, seed, run, token, replay, sentence, ...remedyOf(kind), story: [unreported], eventCount, faultCount },
  }
}
