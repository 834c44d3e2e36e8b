/**
 * A problem with a resource that the user named: the harness could not remove a run's leftovers
 * there, so the user must.
 */
import { LiveProblem } from './problem.ts'

export class NotCleared extends LiveProblem {}
