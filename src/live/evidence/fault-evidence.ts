/**
 * Collects evidence for the faults of one run, from recorded facts and from messages of consumer
 * processes. At the end, it reports which faults struck nothing or had no effect.
 */
import type { HistoryEvent } from '../../contract/api/history.ts'
import type { Plan, PlannedFault } from '../../contract/api/plan.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import type { ProcessRef } from '../../run/process-ref.ts'
import type { LiveClocks } from '../host/clocks.ts'
import type { ConsumerProcess } from '../host/consumer-process.ts'
import { liveFaults } from '../host/live-faults.ts'
import { monotonicMs } from '../host/monotonic.ts'
import type { FromConsumer } from '../host/protocol.ts'
import type { LiveTimers } from '../host/timers.ts'
import { ClockWatch } from './clock-watch.ts'
import { type Evidence, refuted, type Seen, seen, unseen } from './evidence.ts'
import { Exchanges } from './exchanges.ts'
import { seenOfSilence } from './forgotten.ts'
import { type LinkWindow, seenThrough } from './link-window.ts'
import { Looks } from './looks.ts'
import { type LostCommand, seenOfLoss } from './lost-command.ts'
import { Standstill } from './standstill.ts'

/** The interval in milliseconds at which a process with a shifted clock is asked for the time. */
const lookEveryMs = 25

interface FaultEvidenceSetting {
  readonly plan: Plan
  readonly timers: LiveTimers
  readonly clocks: LiveClocks
  /** Returns the evidence for the server of that name. */
  readonly standstillOf: (server: string) => Standstill
  /** Returns the evidence for the servers that were just cut off. */
  readonly cutOff: () => Evidence
  readonly consumers: () => {
    named(name: string): ConsumerProcess | null
    /** The process that handles messages in the slot. */
    at(slot: number): ConsumerProcess | null
  }
}

type Struck = Extract<HistoryEvent, { type: 'fault-struck' }>

/** The faults without evidence of an effect. */
export interface EvidenceSummary {
  /** Faults that do not count, with their facts. */
  readonly notSeen: readonly NotMadeLive[]
  readonly facts: ReadonlySet<HistoryEvent>
  /** The first fault that had no effect, and why; null if all had one. */
  readonly refuted: string | null
}

export class FaultEvidence {
  readonly exchanges = new Exchanges()
  readonly #looks = new Looks()
  /** The evidence of each fault, by the fault's number in the plan. */
  readonly #evidence = new Map<number, Evidence>()
  readonly #facts = new Map<number, HistoryEvent[]>()
  readonly #windows = new Map<number, LinkWindow>()
  readonly #standstills = new Map<string, Standstill>()
  readonly #shifted = new Set<number>()

  constructor(private readonly setting: FaultEvidenceSetting) {}

  /** Handles a message in which a process reports an observation. */
  hear(process: ProcessRef, message: FromConsumer): void {
    switch (message.type) {
      case 'looked':
        return this.#looks.hear(message)
      case 'exchange-sent':
      case 'exchange-answered':
      case 'connection-open':
      case 'connection-closed':
        this.exchanges.hear(process, message)
    }
  }

  /** Handles a fact when it is recorded. */
  note(fact: HistoryEvent): void {
    if (fact.type === 'process-resumed') this.#standstills.get(fact.process)?.end()
    if (fact.type !== 'fault-struck' && fact.type !== 'fault-healed') return
    this.#belongs(fact.index, fact)
    if (fact.type === 'fault-struck') this.#struck(fact, this.setting.plan.faults[fact.index]!)
    else this.#shifted.delete(fact.index)
  }

  /** Called when a fault has just blocked or slowed these links. */
  changed(index: number, link: Pick<LinkWindow, 'slot' | 'ports' | 'extraMs'>): void {
    const window = { ...link, fromMs: monotonicMs(), untilMs: Number.POSITIVE_INFINITY }
    this.#windows.set(index, window)
    this.#evidence.set(index, () => seenThrough(window, this.exchanges.by(window.slot, window.ports)))
  }

  /** Called when the links are about to be restored. */
  restoring(index: number): void {
    const window = this.#windows.get(index)
    if (window !== undefined) window.untilMs = monotonicMs()
  }

  /** Called when a command or its reply is about to be lost. `fact` records that. */
  loses(index: number, lost: LostCommand, fact: HistoryEvent): void {
    this.#belongs(index, fact)
    this.#evidence.set(index, () => seenOfLoss(lost, this.exchanges))
  }

  /**
   * Called when the process's open connections are about to be reset. Returns false if it has none.
   */
  resets(index: number, process: ProcessRef): boolean {
    const connections = this.exchanges.open(process.name)
    if (connections.length === 0) return false
    this.#evidence.set(index, () => {
      if (connections.every((one) => !this.exchanges.isOpen(process.name, one))) return seen
      return process.state === 'running'
        ? refuted(`connections of ${process.name} stayed open`)
        : unseen(`${process.name} ended before it noticed`)
    })
    return true
  }

  /**
   * Called when the process's open connections will be forgotten in this turn of the event loop.
   * Returns false if it has none.
   */
  forgets(index: number, process: string): boolean {
    const connections = this.exchanges.open(process)
    if (connections.length === 0) return false
    const fromMs = monotonicMs()
    this.#evidence.set(index, () => seenOfSilence(this.exchanges.on(process, connections), fromMs))
    return true
  }

  #belongs(index: number, fact: HistoryEvent): void {
    this.#facts.set(index, [...(this.#facts.get(index) ?? []), fact])
  }

  #struck({ index, process = '', node = '' }: Struck, fault: PlannedFault): void {
    const evidence = this.#evidenceOf(index, { process, node }, fault)
    if (evidence !== null) this.#evidence.set(index, evidence)
  }

  /**
   * The evidence of a fault; null if the link or the gate provides it, or if none is needed
   * (`word`).
   */
  #evidenceOf(
    index: number,
    { process: name, node }: { readonly process: string; readonly node: string },
    fault: PlannedFault,
  ): Evidence | null {
    switch (liveFaults[fault.kind]?.seenBy) {
      case 'exit':
        return () => (this.#process(name).hasExited ? seen : refuted(`the process of ${name} still runs`))
      case 'standstill':
        return this.#standstillOf(name)
      case 'clock':
        return this.#clockOf(index, Number(fault.machine))
      case 'server standstill': {
        const standstill = this.setting.standstillOf(node)
        return () => standstill.seen
      }
      case 'cut link':
        return this.setting.cutOff()
      case 'command':
        return () => unseen('its command was never sent')
      default:
        return null
    }
  }

  #process(name: string): ConsumerProcess {
    return this.setting.consumers().named(name)!
  }

  #standstillOf(name: string): Evidence {
    const standstill = new Standstill(name)
    this.#standstills.set(name, standstill)
    this.#looks.at(this.#process(name), () => standstill.answer())
    return () => standstill.seen
  }

  #clockOf(index: number, machine: number): Evidence {
    const watch = new ClockWatch(`consumer-${machine + 1}`)
    this.setting.clocks.of(machine).follow(watch.report)
    this.#shifted.add(index)
    const look = (): void => {
      if (!this.#shifted.has(index)) return
      const process = this.setting.consumers().at(machine)
      if (process !== null) this.#looks.at(process, watch.ask())
      this.setting.timers.after(lookEveryMs, look)
    }
    look()
    return () => watch.seen
  }

  async conclude(): Promise<EvidenceSummary> {
    const notSeen: NotMadeLive[] = []
    const facts = new Set<HistoryEvent>()
    let wrong: string | null = null
    for (const [index, evidence] of [...this.#evidence].sort(([a], [b]) => a - b)) {
      const what: Seen = await evidence()
      if (what.as === 'seen' || !this.#facts.has(index)) continue
      const fault = this.setting.plan.faults[index]!.kind
      notSeen.push({ fault, why: what.why })
      for (const fact of this.#facts.get(index)!) facts.add(fact)
      if (what.as === 'refuted') wrong ??= `${fault} had no effect: ${what.why}`
    }
    return { notSeen, facts, refuted: wrong }
  }
}
