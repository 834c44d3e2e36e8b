import type { KeyDescription } from 'redis-sim'
import type { KernelLimits } from 'virtual-node/kernel'
import type { CommandLabels } from '../../run/command-labels.ts'
import { mustAddUp } from '../../run/history-audit.ts'
import type { Addresses } from './consumers.ts'
import { Deployment } from './deployment.ts'
import type { HangingHandlers } from './hanging-handlers.ts'
import type { LayersTimers } from './layers-timers.ts'
import type { Found } from './observer.ts'
import type { ProcessServices } from './process-services.ts'
import type { RedisSite } from './redis-site.ts'
import type { WorldRequest } from './request.ts'
import type { StoreSite } from './store-site.ts'
import type { World } from './world-state.ts'

interface SimulatedParts {
  readonly request: WorldRequest
  readonly world: World
  readonly site: RedisSite
  /** The stores other than Redis. */
  readonly others: readonly StoreSite[]
  readonly addresses: Addresses
  readonly services: ProcessServices
  readonly layersTimers: LayersTimers
  /**
   * Null if handlers run in real processes, because the simulation does not see what they wait for.
   */
  readonly hanging: HangingHandlers | null
  readonly fresh: boolean
  /**
   * Parts that `dispose` empties in this order, because the layer outlives the run and may
   * reference them.
   */
  readonly disposed: readonly { dispose(): void }[]
}

/** The minimum time for which a run at rest waits for handlers that have not answered. */
export const handlerTimeoutUs = 120_000_000

const notAskedFor: Found = {
  choices: null,
  traffic: null,
  sessions: null,
  runTrace: null,
  schedule: null,
  journeys: null,
}

/** Plays one run on its simulated host, and ends it. */
export class SimulatedRun {
  /** Null until the stores have settled, and if the layer has no `deploy`. */
  #deployment: Deployment | null = null
  /** True if the run was stopped at `untilUs` and would have continued. */
  #isCut = false
  #timeLimitUs = 0
  /** True if the run ended while events were left. */
  #isEnded = false

  constructor(readonly parts: SimulatedParts) {}

  play(limits: KernelLimits): 'rest' | 'time' | 'events' | Promise<'rest' | 'time' | 'events'> {
    const { request, site, world } = this.parts
    const { positionsUntilUs = Number.POSITIVE_INFINITY } = request
    this.#timeLimitUs = limits.timeUs
    world.sent?.follow()
    site.whenSettled(() => this.#deploy())
    const { observers } = world
    const isOver = () => {
      for (const observer of observers) observer.look?.()
      if (world.runner.planUs > positionsUntilUs) world.sent?.unfollowLines()
      return (this.#isEnded = this.#isOver())
    }
    return world.kernel.run(isOver, limits)
  }

  #isOver(): boolean {
    const { hanging, layersTimers, request, world } = this.parts
    const { runner } = world
    if (world.plan.faults.length === 0 && runner.slots.neverStarts) return true
    const isOver = runner.isOver()
    const isStuck = !isOver && hanging !== null && hanging.areAll
    const isDone = hanging?.isSure(isOver || isStuck) ?? isOver
    if (isDone && isStuck) return true
    if (isDone) return !layersTimers.goesOn(() => this.#keysStay(), this.#timeLimitUs)
    if (request.untilUs !== undefined && runner.planUs > request.untilUs) this.#isCut = true
    return this.#isCut
  }

  /** True if keys without expiry exist that the deployment did not leave. */
  #keysStay(): boolean {
    return this.parts.site.immortalKeys.anyLeft(this.#keysWithoutExpiry())
  }

  #deploy(): void {
    const { addresses, fresh, others, request, services, site, world } = this.parts
    const begin = () => {
      for (const other of others) other.deployed()
      site.immortalKeys.deployed(this.#keysWithoutExpiry())
      world.runner.startConsumers()
      world.runner.begin()
    }
    const { implementation } = request
    if (implementation.implementation.deploy === undefined) return begin()
    this.#deployment = new Deployment(world, services, implementation, addresses, fresh, begin)
  }

  /**
   * Returns why the adapter cannot be judged; null if it can. Possible reasons: it returned
   * something that is not an outcome, it failed in every delivery, or no consumer ever started, and
   * no fault or gap of the simulator explains this.
   */
  end(how: 'rest' | 'time' | 'events'): string | null {
    const { layersTimers, request, world } = this.parts
    const { firstError } = world
    const { broker, injection, slots } = world.runner
    // If the run used an unsupported feature, that may be why the deployment failed.
    if (world.unsupportedSet.size === 0) this.#deployment?.mustHaveSucceeded()
    this.#countKeys()
    const ended = this.#isCut ? 'time' : layersTimers.wentOn || world.runner.hasRested(handlerTimeoutUs) ? 'rest' : how
    const isStuck = ended === 'rest' && this.#reportUnanswered(how === 'rest' && !this.#isEnded)
    world.recorder.fact({ type: 'ended', ...this.#completeness(ended, isStuck) })
    mustAddUp(world.recorder.events, request.sink, broker.unsettled)
    const startupFailure = this.#isCut ? null : this.#whyNoneStarted()
    for (const process of slots.connected()) process.end()
    if (world.unsupportedSet.size > 0) return null
    if (slots.contractError !== null) return `the adapter violates its contract: ${slots.contractError}`
    if (startupFailure === null && this.#neverWorks())
      return `every delivery fails without a fault: ${firstError!.text}`
    return injection.struck.length > 0 ? null : startupFailure
  }

  /** The findings of observers. `labels`: with the names that scripts have by now. */
  found(labels: CommandLabels): Found {
    return Object.assign({}, notAskedFor, ...this.parts.world.observers.map((observer) => observer.found(labels)))
  }

  /**
   * Must be called when the run is no longer needed, so that objects that outlive the run do not
   * keep it in memory.
   */
  dispose(): void {
    this.parts.world.sent?.unfollow()
    this.#deployment?.dispose()
    for (const part of this.parts.disposed) part.dispose()
  }

  /** Records the deliveries that were not answered. True if a handler hangs. */
  #reportUnanswered(nothingLeft: boolean): boolean {
    const { hanging, world } = this.parts
    const facts = hanging?.facts(nothingLeft) ?? []
    for (const fact of facts) world.recorder.fact(fact)
    return facts.some(({ hangs }) => hangs !== undefined)
  }

  #completeness(
    how: 'rest' | 'time' | 'events',
    isStuck: boolean,
  ): { complete: true } | { complete: false; why: string } {
    if (how === 'time') return { complete: false, why: 'the budget of virtual time ran out' }
    if (how === 'events') return { complete: false, why: `the event budget ran out${this.#timersText()}` }
    if (isStuck || this.parts.world.runner.broker.restful) return { complete: true }
    return { complete: false, why: 'no event is left, but messages are still open' }
  }

  /**
   * Names timers as the cause if they used up the budget: a layer that polls every second uses it
   * up before the run is over.
   */
  #timersText(): string {
    const { timers, turns, nowUs } = this.parts.world.kernel
    if (timers < turns / 20) return ''
    const often = `timers of the layer's processes went off ${timers} times in ${Math.round(nowUs / 1e6)} s`
    return `: ${often}; use longer periods in the adapter`
  }

  #countKeys(): void {
    const reported = this.parts.site.immortalKeys.reported(this.#keysWithoutExpiry(), this.parts.layersTimers.waits)
    this.parts.world.recorder.fact({ type: 'keys-counted', keys: this.#keyCounts().keys, ...reported })
  }

  #keyCounts(): { keys: number; withoutExpiry: number } {
    const counted = this.parts.site.primaries.map(({ server }) => server.countKeys())
    const sum = (of: 'keys' | 'withoutExpiry') => counted.reduce((total, one) => total + one[of], 0)
    return { keys: sum('keys'), withoutExpiry: sum('withoutExpiry') }
  }

  #keysWithoutExpiry(): KeyDescription[] {
    if (this.#keyCounts().withoutExpiry === 0) return []
    const described = this.parts.site.primaries.flatMap(({ server }) => server.describeKeys())
    return described.filter(({ expireAtMs }) => expireAtMs === null)
  }

  /**
   * True if no delivery was answered, and some ended in an error. A layer may rightly throw if its
   * sink is slower than its timeout, or if it refuses messages without a key; in a Cluster, it may
   * work for other keys. A mistake in code counts in any case.
   */
  #neverWorks(): boolean {
    const { plan, firstError, recorder } = this.parts.world
    if (firstError === null || firstError.text === null || plan.effectMs >= plan.effectTimeoutMs) return false
    if (plan.messages.every(({ keyless }) => keyless) && this.#refusesKeyless) return false
    const types = new Set(recorder.events.map(({ type }) => type))
    if (types.has('answered') || !types.has('delivered')) return false
    return firstError.isMistake || (!types.has('effect-sent') && plan.redis?.shards === undefined)
  }

  get #refusesKeyless(): boolean {
    return this.parts.request.implementation.implementation.withoutKey === 'refuses'
  }

  #whyNoneStarted(): string | null {
    const { slots } = this.parts.world.runner
    const { createdCount, createError } = slots
    if (createdCount > 0) return null
    const error = this.parts.world.firstError?.text ?? createError
    if (createError !== null) return `\`create\` fails (${error}); it must resolve to { handle }`
    const tries = slots.connected().some(({ state }) => state === 'running') || slots.neverSettled
    return tries ? '`create` never settles; it must resolve to { handle }' : null
  }
}
