/**
 * The steps of a run: all that enters its conductor from outside. Their order, with the numbers that were drawn, decides how
 * a run goes, so a host that can keep an order can make a run of another host's once more.
 */
import type { Boundary } from '../contract/plan.ts'
import { caught, type MaybePromise } from './maybe-promise.ts'
import type { RunPorts } from './ports.ts'
import type { ProcessRef } from './process-ref.ts'

export interface Steps {
  /**
   * Does the work when it is the step's turn: a host that only writes steps down does it at once. A name that may change while
   * the step waits is a function.
   */
  take<T>(name: string | (() => string), work: () => MaybePromise<T>): MaybePromise<T>
  /** The conductor has asked for what will be that step: a stopped process comes to it when it goes on. */
  ask?(name: string): void
}

/** The step with which the plan's time begins. */
export const beginName = 'begin'

/** At once where nobody asked for steps. */
export function taking<T>(steps: Steps | undefined, name: () => string, work: () => MaybePromise<T>): MaybePromise<T> {
  return steps === undefined ? work() : steps.take(name(), work)
}

/** `consumer-1 command-unsent SET order:1`. `hungUp`: its connection was closed by the process, which gets no reply. */
export function passName(
  process: ProcessRef,
  boundary: Boundary,
  label: string | null,
  redisKey?: string,
  hungUp = false,
): string {
  const words = [
    process.name,
    boundary,
    ...(label === null ? [] : [label]),
    ...(redisKey === undefined ? [] : [redisKey]),
  ]
  const name = words.join(' ')
  return hungUp ? hungUpName(name) : name
}

/** That nobody listens there, or that its connection is no more. */
export type EndHeard = 'refused' | 'disconnected'

/** An answer to what it says before its first command, or what others brought about: see `isPublished`. */
export type Heard = 'greeted' | 'told' | EndHeard

/**
 * The step in which a client hears what answers none of its commands. `connection`: see `Conductor.heard`. `server`: of a
 * Cluster, whose clients speak to several servers at once.
 */
export const heardName = (
  { name }: ProcessRef,
  what: Heard,
  connection: number,
  server: string | null = null,
): string => `${name} ${what} ${server === null ? '' : `${server} `}${connection}`

/** A session of PostgreSQL ends that holds something: an open transaction, or a lock. Until then nobody else gets it. */
export const letsGoName = ({ name }: ProcessRef): string => `${name} lets-go`

/** What a real session does in place of a step where the simulated one did the other. */
export const waitsOtherwise = ['it waits for another session', 'it waits for nobody'] as const

/** As a command is named once the process has closed its connection. */
export const hungUpName = (name: string): string => `${name} (hung up)`

/** Names of steps that a consumer's process takes by itself. */
const ofProcesses = /^\S+ (command-unsent|effect-sent|effect-settled|answered|created|create-failed|died)\b/

/**
 * Whether such a step comes from a process and from nothing else: one that no script has is a process on another path. The
 * others are the harness's own, which prepares more of them than come about.
 */
export const isOfProcess = (name: string): boolean => ofProcesses.test(name)

/** What the conductor itself asks of its ports comes back to it as steps, which are numbered by their kind. */
export function steppedPorts<P extends ProcessRef>(ports: RunPorts<P>, steps: Steps): RunPorts<P> {
  const counts = { timer: 0, carried: 0, turn: 0, running: 0 }
  const numbered = (kind: keyof typeof counts, work: () => MaybePromise<void>) => {
    const name = `${kind} ${++counts[kind]}`
    steps.ask?.(name)
    // Most ports do not wait for it.
    return () => caught(steps.take(name, work), ports.failed)
  }
  const { driver, links } = ports
  return {
    ...ports,
    get epochMs() {
      return ports.epochMs
    },
    after: (delayUs, work) => ports.after(delayUs, numbered('timer', work)),
    links: {
      carry: (slot, direction, arrive) => links.carry(slot, direction, numbered('carried', arrive)),
      carryOut: (action, event, fault) => links.carryOut(action, event, fault),
    },
    driver: {
      start: (slot, name, incarnation) => driver.start(slot, name, incarnation),
      inTurn: (process, work) => driver.inTurn(process, numbered('turn', work)),
      deliver: (process, delivery) => driver.deliver(process, delivery),
      whenRunning: (process, work) => driver.whenRunning(process, numbered('running', work)),
      kill: (process) => driver.kill(process),
      pause: (process) => driver.pause(process),
      resume: (process) => driver.resume(process),
    },
  }
}
