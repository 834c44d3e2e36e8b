import type { LiveOrder } from '../../contract/results/live-run.ts'
import type { LiveEnvironment } from '../environment/environment.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import type { Program } from './consumer-process.ts'

/** A live run that was asked for, with where and how it is made. */
export interface LiveRunRequest extends LiveOrder {
  readonly program: Program
  /** How late a timer of the harness may be before the run is not judged. */
  readonly marginMs: number
  /** What a run may last at most. */
  readonly longestMs: number
  readonly environment: LiveEnvironment
  readonly directory: RunDirectory
  readonly stopped: () => boolean
}
