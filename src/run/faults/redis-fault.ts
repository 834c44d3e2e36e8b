import fc from 'fast-check'
import { whereText } from '../../contract/where-text.ts'
import { atBoundary, atTime, durationMs, type Fault, type FaultTarget, type Scope } from './fault.ts'

/** A sentence in which the server is called `redis`, or one that says more of it. */
type Told = string | ((redis: FaultTarget['redis']) => string)

/** A fault of the Redis server as a whole: how it is switched on, and off where it heals. */
interface ServerFault {
  readonly kind: string
  readonly about: string
  readonly needs: string
  /** The sentence of what happens, without its place. */
  readonly sentence: Told
  /** The sentence of its end; absent for what cannot be undone. */
  readonly healed?: Told
  /** False when there is nothing to strike. */
  strike(redis: FaultTarget['redis']): boolean
  heal?(redis: FaultTarget['redis']): void
}

/** Server faults strike at a time, or around a command or an effect of some consumer. */
export function serverFault(fault: ServerFault): Fault {
  return {
    kind: fault.kind,
    about: fault.about,
    needs: fault.needs,
    draw(scope: Scope) {
      const kind = fc.constant(fault.kind)
      const around = atBoundary(scope, ['command-unsent', 'command-executed', 'effect-unsent', 'effect-applied'])
      const when = fc.oneof(atTime(scope), around)
      return fault.heal === undefined ? fc.record({ kind, when }) : fc.record({ kind, when, healAfterMs: durationMs() })
    },
    strike({ redis }, _planned, passing) {
      if (!redis.up || fault.strike(redis) === false) return null
      const whose = passing === null ? '' : ` (consumer-${passing.slot + 1}:${whereText(passing)})`
      const { heal, healed } = fault
      const sentence = told(fault.sentence, redis) + whose
      const { name: node } = redis
      if (heal === undefined || healed === undefined) return { sentence, node }
      return {
        sentence,
        node,
        heal() {
          heal(redis)
          return told(healed, redis)
        },
      }
    },
  }
}

function told(sentence: Told, redis: FaultTarget['redis']): string {
  return typeof sentence === 'string' ? sentence.replace(/\bredis\b/, redis.name) : sentence(redis)
}
