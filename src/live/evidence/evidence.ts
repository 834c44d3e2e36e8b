/**
 * The result of checking whether a fault had an effect. An order to a proxy, a signal or a control
 * file proves nothing. Only the effect on a command, a connection, a process or a clock counts.
 */
export type Seen =
  | { readonly as: 'seen' }
  /** There is neither proof nor disproof, so the fault does not count as struck. */
  | { readonly as: 'unseen'; readonly why: string }
  /** Something continued that the fault should have stopped, so the run is not the planned one. */
  | { readonly as: 'refuted'; readonly why: string }

export const seen: Seen = { as: 'seen' }
export const unseen = (why: string): Seen => ({ as: 'unseen', why })
export const refuted = (why: string): Seen => ({ as: 'refuted', why })

/** Returns the evidence of a fault that struck. Called when the run has ended. */
export type Evidence = () => Seen | Promise<Seen>
