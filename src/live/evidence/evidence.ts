/**
 * Whether the effect of a fault was seen. That a proxy, a signal or a control file took an order
 * proves nothing: what counts is what became of a command, a connection, a process or a clock.
 */
export type Seen =
  | { readonly as: 'seen' }
  /** Nothing showed it, nor the contrary: it does not count as struck. */
  | { readonly as: 'unseen'; readonly why: string }
  /** What it should have stopped went on: the run is not the one that was planned. */
  | { readonly as: 'refuted'; readonly why: string }

export const seen: Seen = { as: 'seen' }
export const unseen = (why: string): Seen => ({ as: 'unseen', why })
export const refuted = (why: string): Seen => ({ as: 'refuted', why })

/** Of one fault that struck: asked when its run is over. */
export type Evidence = () => Seen | Promise<Seen>
