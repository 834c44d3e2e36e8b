/** Finds a run of the last report by an id or a name: `replay 1`, `replay F9`, `replay crash`. */
import fs from 'node:fs'
import path from 'node:path'
import { type SinkKind, sinkKinds } from '../contract/api/sink.ts'
import type { LiveReplayViolation } from '../contract/results/live-replay.ts'
import type { Finding, Results, RootCause } from '../contract/results/results.ts'
import { exampleOf, rootOf } from '../report/break.ts'
import { latestReport } from './report-folder.ts'
import { UsageError } from './usage-error.ts'

interface Asked {
  readonly reports: string
  readonly impl?: string | undefined
  readonly sink?: SinkKind | undefined
}

/** The arguments of the `replay` command for a run. */
export interface ReportedRun {
  /** Absent: `options` identify the run. */
  readonly token?: string
  /** As in a finding: the scenario of the drawn run, if it is not that of the token. */
  readonly drawnIn?: string
  readonly options: {
    readonly impl?: string
    readonly withNext?: string
    readonly scenario?: string
    readonly seed?: number
    readonly run?: number
    readonly sink?: SinkKind
  }
}

/** Null for a file, and for a text that is neither an id nor a name. @throws UsageError */
export function reportedRun(text: string, asked: Asked): ReportedRun | null {
  const results = resultsNaming(text, asked)
  if (results === null) return null
  const finding = findingOf(text, results, asked)
  return { ...runOf(finding), ...(finding.drawnIn === undefined ? {} : { drawnIn: finding.drawnIn }) }
}

function resultsNaming(text: string, asked: Asked): Results | null {
  const isId = /^F?[1-9]\d{0,5}$/.test(text)
  if (!(isId || /^[a-z]+(?:-[a-z]+)*$/.test(text)) || fs.existsSync(text)) return null
  if (!isId && !fs.existsSync(resultsFile(asked.reports))) return null
  const results = readResults(text, asked.reports)
  return !isId && results.rootCauses.every(({ name }) => name !== text) ? null : results
}

/** A run of the last report for real servers. */
export interface ReportedLive {
  /** The root cause or finding. */
  readonly shown: Pick<RootCause, 'id' | 'name' | 'title' | 'implementation' | 'sink'>
  /** The arguments and the violation of the run, or why no run can be made on real servers. */
  readonly live: (ReportedRun & { readonly breaks: LiveReplayViolation }) | { readonly cannot: string }
}

/** Like `reportedRun`, for a run on real servers. @throws UsageError */
export function reportedLive(text: string, asked: Asked): ReportedLive | null {
  const results = resultsNaming(text, asked)
  if (results === null) return null
  if (!text.startsWith('F')) return liveOf(namedRoot(text, results, asked), results)
  const finding = findingOf(text, results, asked)
  const root = rootOf(finding, results.rootCauses)!
  return { shown: { ...root, id: text }, live: { ...runOf(finding), breaks: violationOf(finding) } }
}

/** One run of each root cause of the last report. @throws UsageError */
export function reportedLives(asked: Asked): ReportedLive[] {
  const results = readResults('--all', asked.reports)
  return results.rootCauses.filter((one) => isOwn(one, asked)).map((root) => liveOf(root, results))
}

function liveOf(root: RootCause, { findings }: Results): ReportedLive {
  const { live } = root
  if (live === undefined) {
    const example = exampleOf(root, findings)
    return { shown: root, live: { ...runOf(example), breaks: violationOf(example) } }
  }
  return { shown: root, live: 'cannot' in live ? live : { ...runOf(live), breaks: live.breaks } }
}

const violationOf = ({ key, cause: { invariant, kind, decidedBy } }: Finding): LiveReplayViolation => {
  return { invariant, kind, key, decidedBy }
}

/** A finding by its id, or the example of a root cause by its number. @throws UsageError */
export function reportedFinding(text: string, asked: Asked): Finding {
  return findingOf(text, readResults(text, asked.reports), asked)
}

function runOf({ replay }: Pick<Finding, 'replay'>): ReportedRun {
  const words = (replay.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'))
  const args = words.slice(words.indexOf('replay') + 1)
  const wordAfter = (option: string) => args[args.indexOf(option) + 1]
  const textOf = <Name extends string>(name: Name, option: string) =>
    args.includes(option) ? ({ [name]: wordAfter(option)! } as { [one in Name]: string }) : {}
  const numberOf = <Name extends string>(name: Name, option: string) =>
    args.includes(option) ? ({ [name]: Number(wordAfter(option)) } as { [one in Name]: number }) : {}
  const sink = sinkKinds.find((one) => args.includes('--sink') && one === wordAfter('--sink'))
  return {
    ...(args[0]?.startsWith('--') ? {} : { token: args[0]! }),
    options: {
      ...textOf('impl', '--impl'),
      ...textOf('withNext', '--with-next'),
      ...textOf('scenario', '--scenario'),
      ...numberOf('seed', '--seed'),
      ...numberOf('run', '--run'),
      ...(sink === undefined ? {} : { sink }),
    },
  }
}

function findingOf(text: string, results: Results, asked: Asked): Finding {
  if (!text.startsWith('F')) return exampleOf(namedRoot(text, results, asked), results.findings)
  const named = results.findings.filter(({ id }) => id === text)
  return theOne(text, named, results, asked)
}

function namedRoot(text: string, results: Results, asked: Asked): RootCause {
  const named = results.rootCauses.filter(({ id, name }) => id === text || name === text)
  return theOne(text, named, results, asked)
}

type OfLayer = Pick<Finding, 'implementation' | 'sink'>

const isOwn = (one: OfLayer, { impl, sink }: Asked): boolean =>
  (impl === undefined || one.implementation === impl || path.basename(impl).startsWith(one.implementation)) &&
  (sink === undefined || one.sink === sink)

/** The entry on the sink that the user named, or otherwise on the sink with the most pairs. */
function theOne<T extends OfLayer>(
  text: string,
  named: readonly T[],
  { findings, rootCauses, pairs }: Results,
  asked: Asked,
): T {
  const found = named.filter((one) => isOwn(one, asked))
  const layers = [...new Set(found.map(({ implementation }) => implementation))]
  if (layers.length > 1) throw new UsageError(text, `${layers.join(' and ')} each have it; choose one with --impl`)
  const runsOn = (kind: SinkKind) =>
    pairs.filter((pair) => pair.sink === kind && layers[0] === pair.implementation).length
  const [first] = found.sort((a, b) => runsOn(b.sink) - runsOn(a.sink))
  if (first !== undefined) return first
  const all = [...rootCauses.map(({ id }) => id), ...findings.map(({ id }) => id)]
  const has = all.length === 0 ? 'it has no findings' : `it has ${[...new Set(all)].join(', ')}`
  throw new UsageError(text, `not in the last report; ${has}`)
}

/** The results of the last report; null if there is no report. @throws UsageError */
export function resultsIn(reports: string): Results | null {
  const file = resultsFile(reports)
  try {
    const results = JSON.parse(fs.readFileSync(file, 'utf8')) as Results
    const { rootCauses, findings, pairs, notRun } = results
    if ([rootCauses, findings, pairs, notRun].every(Array.isArray)) return results
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
  }
  throw new UsageError(file, 'not the results of a campaign; delete it, and run the campaign again')
}

/** Like `resultsIn`, but null also for results that cannot be read. */
export function lastResults(reports: string): Results | null {
  try {
    return resultsIn(reports)
  } catch {
    return null
  }
}

function readResults(text: string, reports: string): Results {
  const results = resultsIn(reports)
  if (results !== null) return results
  throw new UsageError(text, `no ${resultsFile(reports)}; run a campaign first, or give its folder with --reports`)
}

const resultsFile = (reports: string): string => path.join(latestReport(reports), 'results.json')
