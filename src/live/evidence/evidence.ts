/**
 * Whether the effect of a fault was seen. An order to a proxy, a signal or a control file proves
 * nothing. Only the effect on a command, a connection, a process or a clock counts.
 */
export type Seen =
  | { readonly as: 'seen' }
  /** There is neither proof nor disproof, so the fault does not count as struck. */
  | { readonly as: 'unseen'; readonly why: string }
  /** Something that it should have stopped went on, so the run is not the planned one. */
  | { readonly as: 'refuted'; readonly why: string }

export const seen: Seen = { as: 'seen' }
export const unseen = (why: string): Seen => ({ as: 'unseen', why })
export const refuted = (why: string): Seen => ({ as: 'refuted', why })

/** The evidence of one fault that struck. Called when its run is over. */
export type Evidence = () => Seen | Promise<Seen>
