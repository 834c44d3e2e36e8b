/** A real server ended, or answers no more: nothing more can be compared. */
export class ServerGone extends Error {
  override readonly name = 'ServerGone'
}

/** What to do about it. */
export const goneRemedy = 'see whether it still runs, and try again'
