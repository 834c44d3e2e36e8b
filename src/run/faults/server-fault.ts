import fc from 'fast-check'
import type { StoreKind } from '../../contract/api/store.ts'
import { whereText } from '../../contract/results/where-text.ts'
import type { StoreAction } from '../actions.ts'
import type { StoreServer } from '../ports.ts'
import { atBoundary, atTime, durationMs, type Fault, type Scope, storeOf } from './fault.ts'

/** A sentence in which the server is called by its store's name, or one that says more of it. */
type Sentence = string | ((server: StoreServer) => string)

/** A fault of a store's server as a whole: how it is switched on, and off where it heals. */
interface ServerFault {
  readonly kind: string
  /** Whose server it is. Absent: Redis's. */
  readonly store?: StoreKind
  readonly about: string
  readonly delays: Fault['delays']
  readonly needs: string
  /** The sentence of what happens, without its place. */
  readonly sentence: Sentence
  /** The sentence of its end; absent for what cannot be undone. */
  readonly healed?: Sentence
  /** Which servers it can strike. Absent: any that is up. */
  fits?(server: StoreServer): boolean
  canStrike?: Fault['canStrike']
  strike(machine: string): StoreAction
  heal?(machine: string): StoreAction
}

/** Server faults strike at a time, or around a command or an effect of some consumer. */
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
    strike(view, _planned, event) {
      const server = storeOf(view, kindOfStore)?.primary
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

function about(sentence: Sentence, server: StoreServer): string {
  return typeof sentence === 'string'
    ? sentence.replace(/\b(redis|postgres|dynamodb)\b/, server.name)
    : sentence(server)
}
