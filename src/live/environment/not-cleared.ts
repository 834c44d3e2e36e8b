/**
 * What somebody named for runs keeps what one left in it: theirs to put right, for the harness did
 * what it could.
 */
import { LiveProblem } from './problem.ts'

export class NotCleared extends LiveProblem {}
