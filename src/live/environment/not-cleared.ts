/**
 * A resource that the user named still has leftovers of a run. The harness could not remove them,
 * so the user must.
 */
import { LiveProblem } from './problem.ts'

export class NotCleared extends LiveProblem {}
