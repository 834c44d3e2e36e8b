/**
 * What a store of several servers does by itself, as steps of a script. Servers and those that watch them are named as
 * machines of the plan are.
 */

/** The server takes the place of its primary. */
export const promotedName = (server: string): string => `${server} promoted`

/** The server gets the order to follow another one. */
export const followsName = (server: string, primary: string): string => `${server} follows ${primary}`

/** A replica has come so far: of all that its primary was made to write by consumers, counted from 1. */
export const hasWriteName = (server: string, primary: string, nth: number): string =>
  `${server} has write ${nth} of ${primary}`

/** From now on a Sentinel tells its clients of that primary. */
export const announcesName = (watcher: string, primary: string): string => `${watcher} announces ${primary}`

/** A Sentinel answers a question of a consumer's client: `get-master-addr-by-name`. */
export const asksName = (process: string, watcher: string, question: string): string =>
  `${process} asks ${watcher} ${question}`

/** The answer of a Sentinel comes to the consumer's client. */
export const hearsName = (process: string, watcher: string, question: string): string =>
  `${process} hears ${watcher} ${question}`

export type StoreStep =
  | { readonly what: 'promoted'; readonly server: string }
  | { readonly what: 'follows'; readonly server: string; readonly primary: string }
  | { readonly what: 'has write'; readonly server: string; readonly primary: string; readonly nth: number }
  | { readonly what: 'announces'; readonly watcher: string; readonly primary: string }

/** Null for a step that is not the store's own. */
export function storeStepOf(name: string): StoreStep | null {
  const [one = '', what, ...rest] = name.split(' ')
  const [first = '', second = '', , fourth = ''] = rest
  if (what === 'promoted' && rest.length === 0) return { what, server: one }
  if (what === 'follows') return { what, server: one, primary: first }
  if (what === 'announces') return { what, watcher: one, primary: first }
  if (what === 'has' && first === 'write')
    return { what: 'has write', server: one, primary: fourth, nth: Number(second) }
  return null
}

/** What a client asks a Sentinel for; null where the command is its own. */
export const questionOf = ([name = '', about = '']: readonly string[]): string | null =>
  name.toUpperCase() === 'SENTINEL' ? about.toLowerCase() : null

/** Whether that step is one of what servers do by themselves, or of a question that a Sentinel is asked. */
export function isOfServers(name: string): boolean {
  const [, what] = name.split(' ', 2)
  return storeStepOf(name) !== null || what === 'asks' || what === 'hears'
}
