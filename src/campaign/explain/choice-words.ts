/** Describes choices by commands and consumers instead of streams. */

import type { MadeChoice } from 'virtual-node/kernel'
import { latencyOf } from 'virtual-node/network'
import { msText } from '../../contract/results/time-text.ts'

/** The subject of a choice, such as `the reply to consumer-2's EVALSHA extend`. */
export function subjectOf({ stream, what, about }: Pick<MadeChoice, 'stream' | 'what' | 'about'>): string {
  if (stream === 'broker') return `the broker's choice of ${what}`
  const resumed = resumedIn(stream)
  if (resumed !== null) return `the order in which ${resumed} resumes`
  const [, who, node, way] = /^(consumer-\d+)~(.+)([<>])$/.exec(stream) ?? []
  if (who === undefined) return `${what} of ${stream}`
  const travels = inTransitText(who, node!, way === '>', about)
  return what === 'latency' ? travels : `${what} of ${travels}`
}

/**
 * The choice with another value, such as `the reply to consumer-2's GET takes 26.8 ms instead of
 * 0.1 ms`. The times are the drawn latencies, without the delays of a slow link or a partition.
 */
export function otherwise(choice: Pick<MadeChoice, 'stream' | 'what' | 'about' | 'chosen'>, other: number): string {
  const { what, chosen } = choice
  if (what === 'latency') {
    const [drawn, was] = apart(latencyOf(other), latencyOf(chosen))
    return `${subjectOf(choice)} takes ${drawn} instead of ${was}`
  }
  const resumed = resumedIn(choice.stream)
  if (resumed !== null)
    return `${resumed} ${other === 0 ? 'runs its timers before it reads its sockets' : 'reads its sockets before it runs its timers'} when it resumes`
  return `${subjectOf(choice)} is ${other} instead of ${chosen}`
}

/** The resuming process whose first action the stream chooses; null for other streams. */
const resumedIn = (stream: string): string | null => /^resume:(.+)$/.exec(stream)?.[1] ?? null

/** The two times as text; in microseconds if they would look equal in milliseconds. */
function apart(oneUs: number, otherUs: number): [string, string] {
  const [one, other] = [msText(oneUs), msText(otherUs)]
  return one === other ? [`${oneUs} µs`, `${otherUs} µs`] : [one, other]
}

function inTransitText(who: string, node: string, leaves: boolean, about: string | null): string {
  if (node === 'broker') return leaves ? `the answer of ${who}` : `the delivery to ${who}`
  if (node === 'sink') return leaves ? `${who}'s request to the sink` : `the sink's answer to ${who}`
  const on = node === 'redis' ? '' : ` (${node})`
  if (about === null || /^[a-z]/.test(about))
    return `the ${about ?? 'data'} ${leaves ? 'from' : 'to'} ${who} on its connection to ${node}`
  return leaves ? `${who}'s ${about}${on}` : `the reply to ${who}'s ${about}${on}`
}
