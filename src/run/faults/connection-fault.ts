import fc from 'fast-check'
import type { Boundary } from '../../contract/api/plan.ts'
import { whereText } from '../../contract/results/where-text.ts'
import { atBoundary, atTime, type Fault, storeWords, victim } from './fault.ts'

/** A fault that affects all connections between one consumer and its store, and does not heal. */
interface ConnectionFault {
  readonly kind: string
  readonly about: string
  readonly delays: Fault['delays']
  readonly boundaries: readonly Boundary[]
  readonly does: 'reset' | 'forget'
  /** The predicate of the sentence, after "the connections of consumer-1 to Redis". */
  sentence(where: string): string
}

/** Builds a fault that strikes at a boundary of the consumer, or at a time. */
export function connectionFault({ kind, about, delays, boundaries, does, sentence }: ConnectionFault): Fault {
  return {
    kind,
    about,
    delays,
    needs: 'a consumer that is alive, with a connection to Redis',
    draw: (scope) =>
      fc.oneof(
        fc.record({ kind: fc.constant(kind), when: atBoundary(scope, boundaries) }),
        fc.record({ kind: fc.constant(kind), when: atTime(scope), consumer: fc.nat({ max: scope.consumers - 1 }) }),
      ),
    strike(view, fault, event) {
      const process = victim(view, fault, event)
      if (process === null) return null
      return {
        action: { do: does, process },
        process: process.name,
        sentence: `the connections of ${process.name} to ${storeWords(view)} ${sentence(whereText(event))}`,
      }
    },
  }
}
