import { LoadError } from 'virtual-node/runtime'

/** A turn of the layer does not end, so that the thread that played it was ended. */
export class EndlessTurn extends LoadError {
  constructor(
    culprit: string,
    remedy: string,
    /** The run in which it is, or with which a search began. */
    readonly run: number,
  ) {
    super(culprit, remedy)
  }
}
