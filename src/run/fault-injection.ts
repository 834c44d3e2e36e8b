import { assert } from 'virtual-node/assert'
import type { PlannedFault } from '../contract/api/plan.ts'
import type { Action } from './actions.ts'
import type { Armed } from './boundaries.ts'
import { type BoundaryEvent, isCarriedOut } from './boundary-event.ts'
import { Count } from './count.ts'
import type { FaultView, Healing, Strike } from './faults/fault.ts'
import { faults } from './faults/index.ts'
import type { Limits } from './limits.ts'
import { andThen, type MaybePromise } from './maybe-promise.ts'
import type { Neighbours } from './neighbours.ts'
import type { RunPorts } from './ports.ts'
import type { ProcessRef } from './process-ref.ts'

/**
 * A planned fault that struck, and the label of the command at which it struck; null if it did not
 * strike at a command.
 */
export interface StruckFault {
  readonly index: number
  readonly label: string | null
}

/** A planned fault that did not strike. */
export interface UnstruckFault {
  readonly kind: string
  /**
   * True if the trigger of the fault fired, but there was nothing to strike; false if the trigger
   * never fired.
   */
  readonly cameUp: boolean
}

interface InjectionRun extends Pick<RunPorts<ProcessRef>, 'recorder' | 'after' | 'plan' | 'nowUs'> {
  readonly limits: Limits
  readonly view: FaultView
  readonly neighbours: Pick<Neighbours, 'struck'>
  carryOut(action: Action, event: BoundaryEvent | null, index: number): MaybePromise<boolean>
}

/**
 * Injects the plan's faults when their triggers fire, heals them, and counts which are in force.
 */
export class FaultInjection {
  /** Indices of faults whose trigger fired, and of faults that struck. */
  readonly #cameUp = new Set<number>()
  readonly #struck = new Set<number>()
  readonly struck: StruckFault[] = []
  /** Faults whose time has not come yet. */
  readonly #scheduled = new Count('a fault strikes at its time once')
  /** Faults that a host is carrying out. */
  readonly #underWay = new Count('a host carries out a strike once')
  /** Faults in force that will heal. */
  readonly #healing = new Count('a fault heals once')
  /** All faults in force, including those that never heal. */
  readonly #standing = new Count('a fault that heals was in force')
  /** When a fault last struck or healed. */
  changedUs = 0

  constructor(private readonly run: InjectionRun) {}

  /** Schedules the faults that strike at a time. */
  schedule(armed: readonly Armed[]): void {
    for (const { index, fault } of armed) {
      if (fault.when.at !== 'time') continue
      this.#scheduled.begin()
      this.run.after(fault.when.ms * 1000, () => {
        this.#scheduled.end()
        return andThen(this.strike(index, fault, null), () => {})
      })
    }
  }

  get allStruck(): boolean {
    return this.#scheduled.now === 0
  }

  get allHealed(): boolean {
    return this.#healing.now === 0 && this.#underWay.now === 0
  }

  /** True if a fault is in force, including those that never heal. */
  get anyInForce(): boolean {
    return this.#standing.now > 0
  }

  /** Lets a fault strike; false if there was nothing to strike. */
  strike(index: number, planned: PlannedFault, event: BoundaryEvent | null): MaybePromise<boolean> {
    assert(this.run.plan.faults[index]?.kind === planned.kind, 'a fault strikes as the plan has it')
    const fault = this.run.limits.fixed(planned)
    this.#cameUp.add(index)
    const kind = faults.get(fault.kind)
    const isThere = kind?.onlyAt === undefined || (event !== null && kind.onlyAt.includes(event.boundary))
    const strike = (isThere && kind?.strike(this.run.view, fault, event)) || null
    assert(event === null || isCarriedOut(event, this.run.view.sink), 'a fault decides what its boundary carries out')
    if (strike === null) return false
    if (strike.action === undefined) return this.#wasStruck(index, fault, event, strike)
    this.#underWay.begin()
    return andThen(this.run.carryOut(strike.action, event, index), (found) => {
      this.#underWay.end()
      return found && this.#wasStruck(index, fault, event, strike)
    })
  }

  #wasStruck(index: number, fault: PlannedFault, event: BoundaryEvent | null, strike: Strike): true {
    const { sentence, heal, process, node } = strike
    this.#struck.add(index)
    this.run.neighbours.struck(fault.kind, event, process)
    this.changedUs = this.run.nowUs()
    this.struck.push({ index, label: event?.label ?? null })
    this.run.recorder.fact({
      type: 'fault-struck',
      fault: fault.kind,
      index,
      sentence,
      ...(process === undefined ? {} : { process }),
      ...(node === undefined ? {} : { node }),
      ...(event === null ? {} : { boundary: event.boundary }),
    })
    if (heal === undefined) return true
    this.#standing.begin()
    if (fault.healAfterMs === undefined) return true
    this.#healing.begin()
    this.run.after(fault.healAfterMs * 1000, () => this.#heal(index, fault, heal()))
    return true
  }

  #heal(index: number, { kind }: PlannedFault, { action, sentence }: Healing): MaybePromise<void> {
    assert(this.#struck.has(index), 'only a fault that struck heals')
    return andThen(action === undefined ? true : this.run.carryOut(action, null, index), (answer) => {
      this.#healing.end()
      this.#standing.end()
      this.changedUs = this.run.nowUs()
      const text = typeof sentence === 'string' ? sentence : sentence(answer)
      this.run.recorder.fact({ type: 'fault-healed', fault: kind, index, sentence: text })
      if (this.#healing.now === 0) this.run.recorder.fact({ type: 'all-healed' })
    })
  }

  /** Planned faults that did not strike. */
  get unstruck(): UnstruckFault[] {
    const missed = this.run.plan.faults.map(({ kind }, index) => ({ kind, cameUp: this.#cameUp.has(index) }))
    return missed.filter((_, index) => !this.#struck.has(index))
  }
}
