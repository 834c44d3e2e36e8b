/**
 * The steps of a run: all that enters its runner from outside. Their order, with the numbers that
 * were drawn, decides how a run goes, so a host that can keep an order can make a run of another
 * host's once more.
 */
import type { Boundary } from '../contract/api/plan.ts'
import type { Heard, Otherwise, Pass, SinkQuestion, Step } from '../contract/results/step.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ProcessRef } from './process-ref.ts'

export interface Steps {
  /**
   * Does the work when it is the step's turn: a host that only writes steps down does it at once. A
   * step that may change while it waits is a function.
   */
  take<T>(step: Step | (() => Step), work: () => MaybePromise<T>): MaybePromise<T>
  /**
   * The runner has asked for what will be that step: a stopped process comes to it when it goes on.
   */
  ask?(step: Step): void
}

/** At once where nobody asked for steps. */
export function taking<T>(steps: Steps | undefined, step: () => Step, work: () => MaybePromise<T>): MaybePromise<T> {
  return steps === undefined ? work() : steps.take(step(), work)
}

/** `hungUp`: the process has closed the connection, and gets no reply. */
export function passStep(
  { name: process }: ProcessRef,
  boundary: Boundary,
  label: string | null,
  key: string | null = null,
  hungUp = false,
): Pass {
  return { kind: 'pass', process, boundary, label, key, hungUp }
}

export const heardStep = (
  { name: process }: ProcessRef,
  what: Heard,
  connection: number,
  server: string | null,
): Step => ({ kind: 'heard', process, what, server, connection })

/** What a request to the sink is for: see `Step`. */
export interface AskedFor {
  readonly key: string
  readonly nth: number
}

/** A request of the process reaches the sink. */
export const arrivalStep = ({ name: process }: ProcessRef, request: AskedFor): Step => ({
  kind: 'effect-arrived',
  process,
  ...request,
})

/** A question of the process reaches the sink. */
export const askedStep = ({ name: process }: ProcessRef, { what, key }: SinkQuestion): Step => ({
  kind: 'sink-asked',
  process,
  what,
  key,
})

/** The step with its label under another name. */
export const relabeled = (step: Step, rename: (label: string) => string): Step =>
  step.kind === 'pass' && step.label !== null ? { ...step, label: rename(step.label) } : step

const ofProcesses: ReadonlySet<(Step | Otherwise)['kind']> = new Set([
  'effect-sent',
  'effect-settled',
  'answered',
  'created',
  'create-failed',
  'died',
] as const)

/**
 * Whether such a step comes from a process and from nothing else: one that no schedule has is a
 * process on another path. The others are the harness's own, which prepares more of them than come
 * about.
 */
export const isOfProcess = (step: Step | Otherwise): boolean =>
  step.kind === 'pass' ? step.boundary === 'command-unsent' || step.boundary === 'answered' : ofProcesses.has(step.kind)
