/**
 * A step of a run: one event that enters its runner from outside. The order of the steps determines
 * the run.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Boundary } from '../api/plan.ts'

/** `process`, `server`, `primary` and `watcher` are names. */
export type Step =
  /** The plan's time begins. */
  | { readonly kind: 'begin' }
  /**
   * The host completes something that the runner requested. `nth` counts the steps of that kind,
   * from 1.
   */
  | { readonly kind: 'timer' | 'carried' | 'turn' | 'running'; readonly nth: number }
  | {
      readonly kind: 'pass'
      readonly process: string
      readonly boundary: Boundary
      readonly label: string | null
      /** The first Redis key of the command, or the message's key in a statement. */
      readonly key: string | null
      /** The process has closed the connection, and will get no reply. */
      readonly hungUp: boolean
    }
  | {
      readonly kind: 'heard'
      readonly process: string
      readonly what: Heard
      /** The server at the other end of the connection; null if the store is one server. */
      readonly server: string | null
      /** The number of the connection, see `Runner.heard`. */
      readonly connection: number
    }
  /** `lets-go`: a session of PostgreSQL that holds a transaction or a lock ends. */
  | { readonly kind: 'created' | 'create-failed' | 'died' | 'lets-go'; readonly process: string }
  | { readonly kind: 'effect-sent'; readonly process: string; readonly key: string }
  /**
   * `nth`: the number of the request among those that the process has sent for the key. Requests
   * may arrive out of order.
   */
  | { readonly kind: 'effect-arrived'; readonly process: string; readonly key: string; readonly nth: number }
  | {
      readonly kind: 'effect-settled'
      readonly process: string
      readonly answer: 'receipt' | 'refused' | 'error'
      readonly key: string
      readonly nth: number
    }
  | ({ readonly kind: 'sink-asked'; readonly process: string } & SinkQuestion)
  | { readonly kind: 'answered'; readonly process: string; readonly key: string; readonly how: string }
  /**
   * A client asks a Sentinel (`get-master-addr-by-name`) or a node of a Cluster (`cluster-slots`),
   * and receives the answer.
   */
  | { readonly kind: 'asks' | 'hears'; readonly process: string; readonly server: string; readonly question: string }
  | StoreStep

/** A step of a store with several servers that no client causes. */
export type StoreStep =
  /** The server replaces its primary. */
  | { readonly kind: 'promoted'; readonly server: string }
  /** The server is configured to follow another one. */
  | { readonly kind: 'follows'; readonly server: string; readonly primary: string }
  /** A replica has applied this number of the writes that consumers made on its primary. */
  | { readonly kind: 'has-write'; readonly server: string; readonly primary: string; readonly nth: number }
  /** From now on a Sentinel gives clients the address of this primary. */
  | { readonly kind: 'announces'; readonly watcher: string; readonly primary: string }
  | Knows

/** From now on a node of a Cluster answers its clients by this view. */
export interface Knows {
  readonly kind: 'knows'
  readonly server: string
  readonly view: NodeView
}

/** A node's view of the Cluster, as far as its clients see it. Servers are given by name. */
export interface NodeView {
  /** Whether the node serves clients. */
  readonly state: 'ok' | 'fail'
  /**
   * By shard: the server that owns its slots, if any, and the replicas that clients can discover.
   */
  readonly shards: readonly { readonly owner: string | null; readonly replicas: readonly string[] }[]
  /** Servers that the node has marked `fail`, because a majority considers them failed. */
  readonly failing: readonly string[]
}

/** The server refuses the connection, or the connection has ended. */
export type EndHeard = 'refused' | 'disconnected'

/**
 * What a client receives that is not the reply to a command. `handshake-answered`: a reply to the
 * handshake. `told`: a message that the server pushes, see `isPublished`.
 */
export type Heard = 'handshake-answered' | 'told' | EndHeard

/** A request to the sink other than an effect. */
export interface SinkQuestion {
  readonly what: 'raise' | 'lookup' | 'cancel'
  readonly key: string
}

/** The last step had a different outcome than recorded. */
export interface Otherwise {
  readonly kind: 'otherwise'
  /**
   * `sessions`: a statement waits although it should not, or the reverse. `nodes`: a command
   * reached another node.
   */
  readonly cause: 'sessions' | 'nodes' | 'other'
  readonly text: string
}

export type Pass = Extract<Step, { readonly kind: 'pass' }>

/**
 * Compares two steps. Steps of one kind have the same members, of which only `view` is an object.
 */
export function sameStep(a: Step, b: Step | Otherwise | null | undefined): boolean {
  if (a.kind !== b?.kind) return false
  const [one, other] = [a, b] as Record<string, unknown>[]
  for (const name in one)
    if (one[name] !== other![name] && (name !== 'view' || !isDeepStrictEqual(one[name], other![name]))) return false
  return true
}

/**
 * A step as text, for people only: keys may contain spaces, so two different steps may have the
 * same text.
 */
export function stepText(step: Step | Otherwise): string {
  switch (step.kind) {
    case 'begin':
      return step.kind
    case 'timer':
    case 'carried':
    case 'turn':
    case 'running':
      return `${step.kind} ${step.nth}`
    case 'pass':
      return `${textOf(step.process, step.boundary, step.label, step.key)}${step.hungUp ? ' (hung up)' : ''}`
    case 'heard':
      return textOf(step.process, step.what, step.server, step.connection)
    case 'created':
    case 'create-failed':
    case 'died':
    case 'lets-go':
      return textOf(step.process, step.kind)
    case 'effect-sent':
      return textOf(step.process, step.kind, step.key)
    case 'effect-arrived':
      return `${textOf(step.process, step.kind, step.key)}${nthText(step.nth)}`
    case 'effect-settled':
      return `${textOf(step.process, step.kind, step.answer, step.key)}${nthText(step.nth)}`
    case 'sink-asked':
      return textOf(step.process, step.kind, step.what, step.key)
    case 'answered':
      return textOf(step.process, step.kind, step.key, step.how)
    case 'asks':
    case 'hears':
      return textOf(step.process, step.kind, step.server, step.question)
    case 'promoted':
      return textOf(step.server, step.kind)
    case 'follows':
      return textOf(step.server, step.kind, step.primary)
    case 'has-write':
      return `${step.server} has write ${step.nth} of ${step.primary}`
    case 'announces':
      return textOf(step.watcher, step.kind, step.primary)
    case 'knows':
      return textOf(step.server, step.kind, viewText(step.view))
    case 'otherwise':
      return step.text
  }
}

const nthText = (nth: number): string => (nth === 1 ? '' : ` (request ${nth})`)

const textOf = (...words: readonly (string | number | null)[]): string =>
  words.filter((word) => word !== null).join(' ')

function viewText({ state, shards, failing }: NodeView): string {
  const served = shards.map(({ owner, replicas }) => [owner ?? '-', ...replicas].join('+'))
  return [state, ...served, ...(failing.length === 0 ? [] : ['failing', ...failing])].join(' ')
}
