/**
 * A small world instead of the simulator: every message has one effect, and a planted bug causes a
 * second one if the plan has a crash just after an effect. It has no time, processes or Redis.
 * Options make it misbehave in the ways that a campaign must notice.
 */

import * as fc from 'fast-check'
import { ChoiceTrail, Digest, hashText } from 'virtual-node/kernel'
import { inlineExecutor } from '../../src/campaign/conduct/inline-executor.ts'
import type { CampaignContext } from '../../src/campaign/play/campaign-request.ts'
import { oneAtATime } from '../../src/campaign/play/one-at-a-time.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../../src/campaign/types.ts'
import type { Fact, History, HistoryEvent } from '../../src/contract/api/history.ts'
import type { Implementation } from '../../src/contract/api/implementation.ts'
import { canonicalJson } from '../../src/contract/api/json.ts'
import type { Boundary, Plan, PlannedFault } from '../../src/contract/api/plan.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import type { InvariantName, Verdict } from '../../src/contract/api/verdict.ts'
import type { RunTrace } from '../../src/contract/results/run-trace.ts'
import { drawPassing, drawViolation } from '../../src/report/timeline/timeline-of.ts'
import { LoadError, type LoadedImplementation } from '../../src/sim/adapters/load-implementation.ts'
import { ReadableFiles } from '../../src/sim/adapters/loader.ts'

export interface Misbehaviour {
  /** Uncontrolled chance, called once per run. */
  readonly chance?: () => number
  /** Runs of the module graph of this process affect later ones, unless the graph is fresh. */
  readonly leaks?: boolean
  readonly neverReaches?: boolean
  readonly unsupported?: readonly string[]
  readonly stopped?: () => boolean
  readonly onRun?: (request: WorldRequest) => void
  /** The percentage of choice seeds with which the bug shows. */
  readonly luck?: number
  /** Faults of this kind find no target. */
  readonly idle?: string
  /** The layer has no bug. */
  readonly sound?: boolean
  /** The bug needs no fault. */
  readonly alwaysBreaks?: boolean
  /** Makes the scenario pure. */
  readonly onlyFaults?: readonly string[]
}

export function fakeBench(how: Misbehaviour = {}): CampaignDeps {
  const { onlyFaults } = how
  const scenario = { ...crashScenario(), ...(onlyFaults === undefined ? {} : { onlyFaults }) }
  return {
    runWorld: async (request) => {
      how.onRun?.(request)
      return fakeRun(request, how)
    },
    playing: () => {},
    judge: (history, names) => names.map((name) => ({ name, verdict: judgeOne(history, name) })),
    reached: (goal, history) =>
      !how.neverReaches && history.events.some((event) => event.type === 'fault-struck' && event.fault === goal),
    notApplicable: (goal, layer) => (layer.id === 'lacking' ? `${goal}: it has none` : null),
    takeScriptLines: () => [{ sha: 'f'.repeat(40), body: '-- fake\nreturn 1', executable: [2], executed: [2] }],
    takeKnownScripts: () => [],
    report: (_history, violation) => [violation.sentence],
    draw: drawViolation,
    drawPassing,
    loadScenario: async () => scenario,
    loadImplementation: async (path) => {
      if (path.includes('broken-file')) throw new LoadError(path, 'throws when loaded')
      return implementation(path, how.leaks ?? false)
    },
    stopped: how.stopped ?? (() => false),
  }
}

export function crashScenario(): Scenario {
  const at = fc.constantFrom<Boundary>('effect-applied', 'reply-received', 'answered', 'command-executed')
  const when = fc.record({ at, consumer: fc.nat({ max: 3 }), nth: fc.integer({ min: 1, max: 8 }) })
  const fault: fc.Arbitrary<PlannedFault> = fc.record({ kind: fc.constantFrom('crash', 'pause'), when })
  const message = fc.record({ key: fc.constantFrom('k1', 'k2'), payload: fc.nat(), publishAtMs: fc.nat({ max: 500 }) })
  const ms = fc.integer({ min: 1, max: 10_000 })
  return {
    id: 'fake-crash',
    story: 'Consumers crash.',
    shape: 'single',
    assumptions: ['one Redis'],
    invariants: ['at-most-once', 'no-lost-message'],
    goals: ['crash'],
    recoveryCapMs: 60_000,
    plans: fc.record({
      consumers: fc.integer({ min: 1, max: 4 }),
      messages: fc.array(message, { minLength: 1, maxLength: 6 }),
      leaseMs: ms,
      retentionMs: ms,
      visibilityMs: ms,
      redeliveryMs: ms,
      maxAttempts: fc.integer({ min: 1, max: 9 }),
      effectMs: ms,
      effectTimeoutMs: ms,
      faults: fc.array(fault, { minLength: 0, maxLength: 16, size: 'max' }),
    }),
  }
}

function implementation(path: string, leaks: boolean): LoadedImplementation {
  let graph = { runs: 0 }
  const made = { id: path, create: () => ({ handle: async () => ({ status: 'retry' as const }) }) }
  return {
    implementation: made,
    path,
    takeIn: () => null,
    scripts: [],
    digest: '01234567',
    files: new ReadableFiles(path),
    instantiate(_name, fresh) {
      if (fresh) graph = { runs: 0 }
      if (leaks) graph.runs++
      return { ...made, about: String(graph.runs) }
    },
  }
}

function fakeRun(request: WorldRequest, how: Misbehaviour): RunResult {
  const { plan, choices, record } = request
  const layer = request.implementation.instantiate('consumer-1', request.scrutinise ?? false) as Implementation
  const facts: Fact[] = plan.messages.map(({ key }, at) => published(at, key))
  plan.faults.forEach((fault, index) => {
    if (fault.kind === how.idle) return
    facts.push({ type: 'fault-struck', fault: fault.kind, index, sentence: `${fault.kind} strikes` })
  })
  plan.messages.forEach(({ key }, at) => {
    facts.push(applied(at, key, how.chance?.() ?? 0, layer.about ?? ''))
  })
  const isBroken = how.alwaysBreaks || breaks(plan, choices.seed, how.luck ?? 100)
  if (!how.sound && isBroken) facts.push(applied(99, plan.messages[0]!.key, 0, ''))
  facts.push({ type: 'ended', complete: true })
  const history = {
    header: {} as History['header'],
    events: facts.map((fact, seq) => ({ ...fact, seq, atUs: seq }) as HistoryEvent),
  }
  const digest = new Digest()
  digest.text(canonicalJson([plan, choices.seed, facts]))
  return {
    history,
    digest: digest.hex(),
    historyDigest: record ? digest.hex() : null,
    trail: trailOf(plan),
    layerDigest: '01234567',
    choices: plan.messages.map(() => ({ stream: 'broker', what: 'consumer', about: null, n: 2, chosen: 0, atUs: 0 })),
    chosen: { broker: plan.messages.map(() => 0) },
    scheduleHash: String(plan.messages.length),
    cells: ['effect-applied, lease live'],
    cellsSeen: ['effect-applied, lease live', 'answered, lease live'],
    pairs: [],
    separated: [],
    unsupported: how.unsupported ?? [],
    unstruck: plan.faults.filter(({ kind }) => kind === how.idle).map(({ kind }) => ({ kind, cameUp: true })),
    strikes: plan.faults.map((_, index) => ({ index, label: null })),
    executed: plan.messages.map(() => ({ process: 'consumer-1', label: 'GET', seq: 0, args: ['GET'], reply: null })),
    eventCount: facts.length,
    traffic: null,
    sessions: null,
    runTrace: request.runTrace ? unmoved : null,
    schedule: null,
    journeys: null,
  }
}

/** A run trace without events. */
const unmoved: RunTrace = {
  beganMs: 0,
  consumers: ['consumer-1'],
  servers: ['redis'],
  stores: [],
  hasSeveralPrimaries: false,
  sentinels: [],
  words: [],
  questions: [],
  commands: [],
  scripts: [],
  keys: [],
  roles: [],
  clocks: [],
}

/** The planted bug needs one fault and a matching choice seed. */
function breaks(plan: Plan, choiceSeed: number, luck: number): boolean {
  if ((hashText('luck', choiceSeed) >>> 0) % 100 >= luck) return false
  return plan.faults.some(({ kind, when }) => kind === 'crash' && when.at === 'effect-applied')
}

function trailOf({ messages }: Plan): ChoiceTrail {
  const trail = new ChoiceTrail()
  for (const { publishAtMs } of messages) trail.add(publishAtMs, 0, true)
  return trail
}

function published(at: number, key: string): Fact {
  return { type: 'published', messageId: `m${at}`, key, fingerprint: '', copy: false }
}

function applied(at: number, key: string, amount: number, about: string): Fact {
  const receipt = { effectId: `e${at}`, key, amount, about }
  return { type: 'effect-applied', requestId: at, process: 'consumer-1', key, fingerprint: '', receipt }
}

function judgeOne({ events }: History, name: InvariantName): Verdict {
  const extra = events.find((event) => event.type === 'effect-applied' && event.requestId === 99)
  if (name !== 'at-most-once' || extra?.type !== 'effect-applied') return { verdict: 'valid' }
  const sentence = `the effect of ${extra.key} happened twice`
  return {
    verdict: 'violated',
    violations: [{ kind: 'repeat-after-crash', key: extra.key, sentence, events: [extra.seq] }],
  }
}

/** The context of a campaign of fakes. It reports nothing. */
export function fakeContext(deps: CampaignDeps, more: Partial<CampaignContext> = {}): CampaignContext {
  const alone = oneAtATime()
  return {
    deps,
    alone,
    executor: inlineExecutor(deps, alone),
    elapsedMs: () => 0,
    realRedis: { kind: 'none', reason: 'a test needs none' },
    realPostgres: { kind: 'none', reason: 'a test needs none' },
    progress: () => {},
    pairDone: () => {},
    firstViolation: () => {},
    firstStory: () => {},
    soFar: () => {},
    keep: () => {},
    ...more,
  }
}

/** Text that does not compress. */
export function noise(length: number): string {
  let state = 1
  return Array.from({ length }, () => String.fromCharCode(33 + ((state = (state * 48271) % 0x7fffffff) % 90))).join('')
}
