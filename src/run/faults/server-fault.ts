import fc from 'fast-check'
import type { PlannedFault } from '../../contract/api/plan.ts'
import type { StoreKind } from '../../contract/api/store.ts'
import { whereText } from '../../contract/results/where-text.ts'
import type { StoreAction } from '../actions.ts'
import { namedServer } from '../independent-servers.ts'
import type { StoreServer } from '../ports.ts'
import { atBoundary, atTime, durationMs, type Fault, type Scope, type StoreView, storeOf } from './fault.ts'

/**
 * In a string, the name of the store is replaced by the name of the server. A function can use
 * other properties of the server.
 */
type Sentence = string | ((server: StoreServer) => string)

/** A fault of a whole server of a store: the actions that start it and, if it heals, end it. */
interface ServerFault {
  readonly kind: string
  /** The store of the server. Absent: Redis. */
  readonly store?: StoreKind
  readonly about: string
  readonly delays: Fault['delays']
  readonly needs: string
  /** The sentence when the fault strikes, without the boundary. */
  readonly sentence: Sentence
  /** The sentence when the fault heals; absent if it does not heal. */
  readonly healed?: Sentence
  /** True if the fault can strike the server. Absent: it can strike any server that is up. */
  fits?(server: StoreServer): boolean
  canStrike?: Fault['canStrike']
  strike(machine: string): StoreAction
  heal?(machine: string): StoreAction
}

/**
 * Builds a fault that strikes a server at a time, or at a boundary of a command or an effect of
 * some consumer.
 */
export function serverFault(fault: ServerFault): Fault {
  const { store: kindOfStore = 'redis' } = fault
  return {
    kind: fault.kind,
    store: kindOfStore,
    about: fault.about,
    delays: fault.delays,
    needs: fault.needs,
    ...(fault.canStrike ? { canStrike: fault.canStrike } : {}),
    draw(scope: Scope) {
      const kind = fc.constant(fault.kind)
      const around = atBoundary(scope, ['command-unsent', 'command-executed', 'effect-unsent', 'effect-applied'])
      const when = fc.oneof(atTime(scope), around)
      return fault.heal === undefined ? fc.record({ kind, when }) : fc.record({ kind, when, healAfterMs: durationMs() })
    },
    strike(view, planned, event) {
      const server = serverOf(storeOf(view, kindOfStore), planned)
      if (!server?.up || fault.fits?.(server) === false) return null
      const whose = event === null ? '' : ` (consumer-${event.slot + 1}:${whereText(event)})`
      const { name } = server
      const { heal, healed } = fault
      const struck = { action: fault.strike(name), sentence: about(fault.sentence, server) + whose, node: name }
      if (heal === undefined || healed === undefined) return struck
      return { ...struck, heal: () => ({ action: heal(name), sentence: () => about(healed, server) }) }
    },
  }
}

/** The primary, or the independent server that the fault selects. */
function serverOf(store: StoreView | undefined, planned: PlannedFault): StoreServer | undefined {
  const name = namedServer(planned)
  if (name === null) return store?.primary
  return store?.machines.find((one): one is StoreServer => one.name === name && 'hasDisk' in one)
}

function about(sentence: Sentence, server: StoreServer): string {
  return typeof sentence === 'string'
    ? sentence.replace(/\b(redis|postgres|dynamodb)\b/, server.name)
    : sentence(server)
}
