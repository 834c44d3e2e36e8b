/**
 * What a store of several servers does by itself, as steps of a script. Servers and those that watch them are named as
 * machines of the plan are.
 */
import type { Step } from '../contract/script.ts'

/** The server takes the place of its primary. */
export const promotedName = (server: string): string => `${server} promoted`

/** The server gets the order to follow another one. */
export const followsName = (server: string, primary: string): string => `${server} follows ${primary}`

/** A replica has come so far: of all that its primary was made to write by consumers, counted from 1. */
export const hasWriteName = (server: string, primary: string, nth: number): string =>
  `${server} has write ${nth} of ${primary}`

/** From now on a Sentinel tells its clients of that primary. */
export const announcesName = (watcher: string, primary: string): string => `${watcher} announces ${primary}`

/** What a node of a Cluster believes, as far as its clients see it. Servers by their names. */
export interface NodeView {
  /** Whether it serves at all. */
  readonly state: 'ok' | 'fail'
  /** By shard: who serves its slots, null for nobody, and the replicas of that one which clients hear of. */
  readonly shards: readonly { readonly owner: string | null; readonly replicas: readonly string[] }[]
  /** Servers that it takes for dead, as a majority does. */
  readonly failing: readonly string[]
}

/** From now on a node of a Cluster answers its clients by what it believes then. */
export function knowsName(server: string, { state, shards, failing }: NodeView): string {
  const served = shards.map(({ owner, replicas }) => [owner ?? '-', ...replicas].join('+'))
  return [server, 'knows', state, ...served, ...(failing.length === 0 ? [] : ['failing', ...failing])].join(' ')
}

function viewOf([state = '', ...rest]: readonly string[]): NodeView {
  const at = rest.indexOf('failing')
  const [served, failing] = at < 0 ? [rest, []] : [rest.slice(0, at), rest.slice(at + 1)]
  const shards = served.map((one) => {
    const [owner = '-', ...replicas] = one.split('+')
    return { owner: owner === '-' ? null : owner, replicas }
  })
  return { state: state === 'ok' ? 'ok' : 'fail', shards, failing }
}

/** A Sentinel answers a question of a consumer's client: `get-master-addr-by-name`; or a node of a Cluster: `cluster-slots`. */
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
  | { readonly what: 'knows'; readonly server: string; readonly view: NodeView }

/** Null for a step that is not the store's own. */
export function storeStepOf(name: string): StoreStep | null {
  const [one = '', what, ...rest] = name.split(' ')
  const [first = '', second = '', , fourth = ''] = rest
  if (what === 'promoted' && rest.length === 0) return { what, server: one }
  if (what === 'knows') return { what, server: one, view: viewOf(rest) }
  if (what === 'follows') return { what, server: one, primary: first }
  if (what === 'announces') return { what, watcher: one, primary: first }
  if (what === 'has' && first === 'write')
    return { what: 'has write', server: one, primary: fourth, nth: Number(second) }
  return null
}

/**
 * What of a node's belief clients see while it has what it comes to in step `at`: whether and where it sends their commands, or
 * also whom else it tells of. Null where nobody speaks to it meanwhile.
 */
export function seenOf(steps: readonly Pick<Step, 'name' | 'server'>[], at: number): 'served' | 'told' | null {
  const server = steps[at]!.name.split(' ', 1)[0]!
  let seen: 'served' | null = null
  for (const { name, server: executes } of steps.slice(at + 1)) {
    const [, what, asked, question] = name.split(' ', 4)
    if (what === 'asks' && asked === server && question !== 'cluster-info') return 'told'
    if (executes === server || (what === 'asks' && asked === server)) seen = 'served'
    const own = storeStepOf(name)
    if (own?.what === 'knows' && own.server === server) return seen
  }
  return seen
}

/** What a client asks a Sentinel for, or a node of a Cluster about the others; null where the command is its own. */
export function questionOf([name = '', about = '']: readonly string[]): string | null {
  const what = name.toUpperCase()
  if (what === 'SENTINEL') return about.toLowerCase()
  return what === 'CLUSTER' ? `cluster-${about.toLowerCase()}` : null
}

/**
 * Whether that step is one of what servers do by themselves, or of a question that a Sentinel or a node is asked. To which node of
 * a Cluster a client turns first is for chance and the nodes to say, too, and so is whether its connection comes about and lasts.
 */
export function isOfServers(name: string): boolean {
  const [, what, , connection] = name.split(' ', 4)
  const ofNode = connection !== undefined && (what === 'greeted' || what === 'refused' || what === 'disconnected')
  return storeStepOf(name) !== null || what === 'asks' || what === 'hears' || ofNode
}
