/** A real server ended or no longer answers, so the comparison cannot continue. */
export class ServerGone extends Error {
  override readonly name = 'ServerGone'
}

/** The remedy for the user. */
export const goneRemedy = 'check that it still runs, and try again'
