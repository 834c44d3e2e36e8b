/**
 * Explains violations by risks that can be accepted. A risk explains a violation only if the facts
 * of the risk came before the violation, and if the same run without the risk keeps the invariant
 * for every key. The run without the risk is played with the same choices, and with the choices of
 * two other seeds. So an unrelated fault does not excuse a bug of the layer.
 */
import { hashText } from 'virtual-node/kernel'
import type { Judgement } from '../../check/index.ts'
import { type HistoryIndex, indexHistory } from '../../contract/api/history-index.ts'
import type { Plan } from '../../contract/api/plan.ts'
import { type AcceptedRisk, type RiskName, riskNames } from '../../contract/api/risk.ts'
import type { InvariantName, Verdict, Violation } from '../../contract/api/verdict.ts'
import type { JudgedViolation } from '../causes/reported-violation.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../types.ts'
import { atUsualLength } from '../usual-length.ts'
import { brokenOf, risks } from './risks.ts'

type Deps = Pick<CampaignDeps, 'judge'> & {
  readonly runWorld: (request: WorldRequest) => Promise<Pick<RunResult, 'history' | 'eventCount'>>
}

/** A violation that is explained by one accepted risk, or by several together. */
export interface AcceptedViolation extends JudgedViolation {
  readonly risks: readonly RiskName[]
}

const otherSeeds = 2

interface Judged {
  readonly judged: readonly Judgement[]
  readonly isWhole: boolean
}

export class RisksOfRun {
  /** The runs without risks, by the omitted risks and the number of the seed. */
  readonly #played = new Map<string, Judged>()
  #reading: HistoryIndex | null = null

  constructor(
    private readonly request: WorldRequest,
    private readonly history: RunResult['history'],
    private readonly candidates: readonly RiskName[],
    private readonly deps: Deps,
  ) {}

  /** The risks that explain a violation; empty if the layer caused it. */
  async explaining(invariant: InvariantName, violation: Violation): Promise<readonly RiskName[]> {
    if (this.candidates.length === 0) return []
    this.#reading ??= indexHistory(this.history)
    const broken = brokenOf(this.history, this.#reading, violation)
    const own = broken === null ? [] : this.candidates.filter((name) => risks[name].cameTrue(broken))
    if (own.length === 0 || !(await this.#keeps(invariant, this.candidates))) return []
    if (own.length > 1) for (const name of own) if (await this.#keeps(invariant, [name])) return [name]
    return own
  }

  /** Exactly the risks that a layer would have to accept to be excused; empty if there are none. */
  async acceptable(invariant: InvariantName, violation: Violation): Promise<readonly RiskName[]> {
    const found = await this.explaining(invariant, violation)
    return found.length > 0 && (await this.#keeps(invariant, found)) ? found : []
  }

  /**
   * True if the run without the risks keeps the invariant for every key. If any key still breaks,
   * the layer has a bug.
   */
  async #keeps(invariant: InvariantName, without: readonly RiskName[]): Promise<boolean> {
    for (let seed = 0; seed <= otherSeeds; seed++)
      if ((await this.#verdict(without, seed, invariant))?.verdict !== 'valid') return false
    return true
  }

  /** A run is played to its end only if its beginning does not break the invariant. */
  async #verdict(without: readonly RiskName[], seed: number, invariant: InvariantName): Promise<Verdict | undefined> {
    const name = `${without.join()} ${seed}`
    const request = this.#requestOf(without, seed)
    const verdictIn = ({ judged }: Judged) => judged.find((one) => one.name === invariant)?.verdict
    const begun = this.#played.get(name) ?? (await this.#play(atUsualLength(request)))
    const isEnough = begun.isWhole || verdictIn(begun)?.verdict === 'violated'
    const played = isEnough ? begun : await this.#play(request)
    this.#played.set(name, played)
    return verdictIn(played)
  }

  #requestOf(without: readonly RiskName[], seed: number): WorldRequest {
    const { scenario, implementation, sink, choices } = this.request
    const plan = without.reduce<Plan>((left, name) => risks[name].without(left), this.request.plan)
    const other = { seed: hashText(`without ${seed}`, choices.seed) }
    return { scenario, implementation, sink, plan, choices: seed === 0 ? choices : other, record: false }
  }

  async #play(request: WorldRequest): Promise<Judged> {
    const { scenario, events } = request
    const { history, eventCount } = await this.deps.runWorld(request)
    const judged = this.deps.judge(history, scenario.invariants, scenario.own)
    return { judged, isWhole: events === undefined || eventCount <= events }
  }
}

/**
 * The verdicts without the violations that accepted risks explain, and the explained violations.
 */
export interface Accepting {
  readonly verdicts: readonly Judgement[]
  readonly accepted: readonly AcceptedViolation[]
}

export async function setAccepted(
  verdicts: readonly Judgement[],
  request: WorldRequest & { readonly accepts?: readonly AcceptedRisk[] },
  { history }: Pick<RunResult, 'history'>,
  deps: Deps,
): Promise<Accepting> {
  const { accepts = [] } = request
  const isBroken = verdicts.some(({ verdict }) => verdict.verdict === 'violated')
  if (accepts.length === 0 || !isBroken) return { verdicts, accepted: [] }
  const run = new RisksOfRun(request, history, namesOf(accepts), deps)
  const left: Judgement[] = []
  const accepted: AcceptedViolation[] = []
  for (const { name, verdict } of verdicts) {
    if (verdict.verdict !== 'violated') {
      left.push({ name, verdict })
      continue
    }
    const violations: Violation[] = []
    for (const violation of verdict.violations) {
      const explaining = await run.explaining(name, violation)
      if (explaining.length === 0) violations.push(violation)
      else accepted.push({ invariant: name, violation, risks: explaining })
    }
    left.push({ name, verdict: violations.length > 0 ? { ...verdict, violations } : withoutViolations(verdict) })
  }
  return { verdicts: left, accepted }
}

const withoutViolations = ({ doubt }: { readonly doubt?: string }): Verdict =>
  doubt === undefined ? { verdict: 'valid' } : { verdict: 'unknown', reason: doubt }

export const namesOf = (accepts: readonly AcceptedRisk[]): readonly RiskName[] =>
  riskNames.filter((name) => accepts.some(({ what }) => what === name))
