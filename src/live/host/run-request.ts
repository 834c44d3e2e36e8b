import type { LiveOrder } from '../../contract/results/live-run.ts'
import type { LiveEnvironment } from '../environment/environment.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import type { Program } from './consumer-process.ts'

/** A requested live run, with its environment. */
export interface LiveRunRequest extends LiveOrder {
  readonly program: Program
  /** How many milliseconds a timer of the harness may be late before the run is not judged. */
  readonly marginMs: number
  /** The maximum duration of a run, in milliseconds. */
  readonly longestMs: number
  readonly environment: LiveEnvironment
  readonly directory: RunDirectory
  readonly stopped: () => boolean
}
