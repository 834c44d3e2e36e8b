import { LoadError } from 'virtual-node/runtime'

/** Code of the layer never yielded, so the thread that played the run was terminated. */
export class EndlessTurn extends LoadError {
  constructor(
    culprit: string,
    remedy: string,
    /** The run that did not end, or the first run of the search. */
    readonly run: number,
  ) {
    super(culprit, remedy)
  }
}
