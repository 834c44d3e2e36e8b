/**
 * The steps of a run: all events that enter its runner from outside. The order of the steps and the
 * drawn numbers determine a run, so a host that can enforce this order can reproduce a run of
 * another host.
 */
import type { Boundary } from '../contract/api/plan.ts'
import type { Heard, Otherwise, Pass, SinkQuestion, Step } from '../contract/results/step.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ProcessRef } from './process-ref.ts'

export interface Steps {
  /**
   * Does the work when the schedule reaches the step. A host that only records steps does the work
   * at once. A step that may change while it waits is passed as a function.
   */
  take<T>(step: Step | (() => Step), work: () => MaybePromise<T>): MaybePromise<T>
  /** Announces a step that will come: a stopped process performs it after it is resumed. */
  ask?(step: Step): void
}

/** Does the work at once if steps are neither recorded nor followed. */
export function taking<T>(steps: Steps | undefined, step: () => Step, work: () => MaybePromise<T>): MaybePromise<T> {
  return steps === undefined ? work() : steps.take(step(), work)
}

/** `hungUp`: the process has closed the connection, and will get no reply. */
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

/** The members that identify a request to the sink in a step, see `Step`. */
export interface AskedFor {
  readonly key: string
  readonly nth: number
}

/** The step in which a request for an effect reaches the sink. */
export const arrivalStep = ({ name: process }: ProcessRef, request: AskedFor): Step => ({
  kind: 'effect-arrived',
  process,
  ...request,
})

/**
 * The step in which another request of the process (`raise`, `lookup` or `cancel`) reaches the
 * sink.
 */
export const askedStep = ({ name: process }: ProcessRef, { what, key }: SinkQuestion): Step => ({
  kind: 'sink-asked',
  process,
  what,
  key,
})

/** The step with its label replaced by `rename`. */
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
 * True if only a process causes such a step. If the step is not in the schedule, the process took
 * another path. The harness causes all other steps, and prepares more of them than occur.
 */
export const isOfProcess = (step: Step | Otherwise): boolean =>
  step.kind === 'pass' ? step.boundary === 'command-unsent' || step.boundary === 'answered' : ofProcesses.has(step.kind)
