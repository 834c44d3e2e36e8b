import type { HistoryEvent } from '../../contract/api/history.ts'
import type { StoreKind } from '../../contract/api/store.ts'
import type { Draw, GaveUp, Lifetime, Return, ScheduleStep } from '../../contract/results/schedule.ts'
import type { Knows, Step } from '../../contract/results/step.ts'
import type { CommandLabels } from '../../run/command-labels.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import { relabeled, type Steps } from '../../run/steps.ts'
import type { Observer } from './observer.ts'

/** Records the steps of a run as they are taken. */
export class ScheduleRecorder implements Steps, Observer {
  readonly draws: Draw[] = []
  readonly #returns: Return[] = []
  readonly #steps: Pick<ScheduleStep, 'step' | 'atUs' | 'seq'>[] = []
  /** By node of a Cluster: its view when the run begins. */
  readonly #known = new Map<string, Knows>()
  #deployedTo: string | null = null
  /** By process: the numbers that it has drawn. */
  readonly #chances: Record<string, number[]> = {}
  /** The number, from 0, of the step in which the last command was executed. */
  #command = -1
  /** Numbers of the steps whose commands changed data. */
  readonly #wrote = new Set<number>()
  /** Numbers of the steps whose commands read the time. */
  readonly #clocked = new Set<number>()
  /** Numbers of the steps with commands to a store other than Redis. */
  readonly #stores = new Map<number, StoreKind>()
  /**
   * By step number: the server that executed the command, and the number of events after its
   * execution.
   */
  readonly #servers = new Map<number, string>()
  readonly #executed = new Map<number, number>()
  /** By Redis key: its deadline on the server's clock, and its lifetime until that deadline. */
  readonly #deadlines = new Map<string, { readonly deadlineMs: number; readonly lifetime: Lifetime }>()
  /** Lifetimes of expired keys, in order, each with the number of events before the expiry. */
  readonly #lifetimes: (Lifetime & { readonly seq: number })[] = []
  readonly #gaveUp: GaveUp[] = []
  readonly #connections = new WeakMap<object, number>()
  #connected = 0
  /** By step number: the connection that causes it. */
  readonly #vias = new Map<number, number>()

  constructor(
    private readonly nowUs: () => number,
    private readonly events: readonly HistoryEvent[],
  ) {}

  take<T>(given: Step | (() => Step), work: () => MaybePromise<T>): MaybePromise<T> {
    const step = typeof given === 'function' ? given() : given
    if (isCommand(step)) this.#command = this.#steps.length
    this.#steps.push({ step, atUs: this.nowUs(), seq: this.events.length })
    return work()
  }

  /** True once the start of consumers has begun. */
  get hasBegun(): boolean {
    return this.#steps.length > 0
  }

  /** Records which of several servers executes the command of the last step. */
  executedBy(server: string): void {
    this.#servers.set(this.#command, server)
  }

  /** Records which connection causes the next step. */
  comesBy(connection: object): void {
    const number = this.#connections.get(connection) ?? ++this.#connected
    this.#connections.set(connection, number)
    this.#vias.set(this.#steps.length, number)
  }

  /** Records that the last step is a command to this store, which is not Redis. */
  isOf(store: StoreKind): void {
    this.#stores.set(this.#steps.length - 1, store)
  }

  /** The number of the step in which the last command was executed, from 0. */
  get command(): number {
    return this.#command
  }

  /** The commands of these steps depend on the time of their server. */
  goByTime(steps: readonly number[]): void {
    for (const step of steps) {
      this.#wrote.add(step)
      this.#clocked.add(step)
    }
  }

  /**
   * The last command was executed. Ignored for a blocked command that is answered in a later step,
   * because its own step includes no events after the start of the next step.
   */
  executed(): void {
    if (this.#command === this.#steps.length - 1) this.#executed.set(this.#command, this.events.length)
  }

  returned(server: string, kept: readonly string[], isOlder: boolean): void {
    this.#returns.push({ server, kept, isOlder, seq: this.events.length })
  }

  /** The view of a Cluster node changed before the run began. */
  knew(step: Knows): void {
    this.#known.set(step.server, step)
  }

  /** The deployment writes to this server, one of several, before the run begins. */
  deploys(server: string): void {
    this.#deployedTo = server
  }

  /** A process has drawn the number. */
  drew(process: string, number: number): void {
    const drawn = this.#chances[process] ?? []
    this.#chances[process] = drawn
    drawn.push(number)
  }

  /** The command of the last step has changed data. */
  wrote(): void {
    this.#wrote.add(this.#command)
  }

  /**
   * The keys with an expiry on the only server, after the last command has changed data. Null:
   * several databases may have the same key. `aheadUs`: how far the server's clock is ahead of the
   * world's.
   */
  lives(keys: readonly (readonly [key: string, deadlineMs: number])[] | null, aheadUs: number): void {
    if (keys === null) this.#deadlines.clear()
    for (const [key, deadlineMs] of keys ?? []) {
      if (this.#deadlines.get(key)?.deadlineMs === deadlineMs) continue
      // A key exists until its last millisecond has passed.
      const lifetime = { fromUs: this.#steps[this.#command]!.atUs, untilUs: (deadlineMs + 1) * 1000 - aheadUs }
      this.#deadlines.set(key, { deadlineMs, lifetime })
    }
  }

  /** The machine of the process gives up a connection. */
  gaveUp(process: string): void {
    this.#gaveUp.push({ process, seq: this.events.length })
  }

  /** A key has expired; its event comes next. */
  expired(key: string): void {
    const known = this.#deadlines.get(key)
    if (known === undefined) return
    this.#deadlines.delete(key)
    this.#lifetimes.push({ ...known.lifetime, seq: this.events.length })
  }

  /** A command of a client or its script is executed. `fullName`: for example `object|idletime`. */
  ran(fullName: string): void {
    if (clocked.has(fullName)) this.#clocked.add(this.#command)
  }

  /** Uses the names that scripts have at the end of the run. */
  found(labels: CommandLabels) {
    const { events } = this
    // A server also expires keys between two commands. These keys are attributed to the next
    // command.
    let foundUpTo = 0
    let livesUpTo = 0
    const expiredAt = ({ step }: Pick<ScheduleStep, 'step'>, at: number) => {
      if (!isCommand(step)) return { expired: [] }
      const from = foundUpTo
      foundUpTo = this.#executed.get(at) ?? this.#steps[at + 1]?.seq ?? events.length
      const expired = events.slice(from, foundUpTo).flatMap((event) => expiredIn(event, this.#servers.get(at)))
      const livesFrom = livesUpTo
      while (livesUpTo < this.#lifetimes.length && this.#lifetimes[livesUpTo]!.seq < foundUpTo) livesUpTo++
      const own = this.#lifetimes.slice(livesFrom, livesUpTo)
      return own.length === 0
        ? { expired }
        : { expired, lifetimes: own.map(({ fromUs, untilUs }) => ({ fromUs, untilUs })) }
    }
    const steps = this.#steps.map((step, at) => ({
      ...step,
      step: relabeled(step.step, (label) => labels.renamed(label)),
      wrote: this.#wrote.has(at),
      clocked: this.#clocked.has(at),
      ...expiredAt(step, at),
      server: this.#servers.get(at) ?? null,
      ...viaOf(this.#vias.get(at)),
      ...storeOf(this.#stores.get(at)),
    }))
    const schedule = {
      ...{ steps, draws: this.draws, returns: this.#returns, scriptLabels: labels.known },
      ...(this.#known.size === 0 ? {} : { known: [...this.#known.values()] }),
      ...(this.#deployedTo === null ? {} : { deployedTo: this.#deployedTo }),
      ...(this.#gaveUp.length === 0 ? {} : { gaveUp: this.#gaveUp }),
      chances: this.#chances,
    }
    return { schedule }
  }
}

/** Commands that return Redis's time, or a duration measured by it. */
const clocked = new Set([
  ...['time', 'lastsave', 'ttl', 'pttl', 'expiretime', 'pexpiretime', 'object|idletime'],
  ...['xpending', 'xclaim', 'xautoclaim', 'xinfo|consumers', 'xinfo|stream'],
])

const viaOf = (via: number | undefined): Pick<ScheduleStep, 'via'> => (via === undefined ? {} : { via })

const storeOf = (store: StoreKind | undefined): Pick<ScheduleStep, 'store'> => (store === undefined ? {} : { store })

const isCommand = (step: Step): boolean => step.kind === 'pass' && step.boundary === 'command-unexecuted'

/** The keys that expired in the event. If there are several servers, only the keys on `server`. */
const expiredIn = (event: HistoryEvent, server: string | undefined): readonly string[] =>
  event.type === 'data-lost' && event.cause === 'expiry' && (server === undefined || event.node === server)
    ? (event.redisKeys ?? [])
    : []
