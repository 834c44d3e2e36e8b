/**
 * An invariant for scenarios in which the store keeps its data. It applies to a layer that declares
 * the reason with which it dead-letters a message after a number of failed attempts, and the
 * `retry` reason of such an attempt (`deadLetterReasons.failed.retry`). The layer must not forget
 * an attempt that it has counted.
 *
 * Kind `given-up-too-late`: the declared number of deliveries of the key ended with that `retry`
 * reason, and a later delivery also ended with it, or sent a request.
 */
import type { History } from '../../contract/api/history.ts'
import type { HistoryIndex } from '../../contract/api/history-index.ts'
import { defineInvariant, type Violation } from '../../contract/api/verdict.ts'
import { msText } from '../../contract/results/time-text.ts'

function judge({ header }: History, reading: HistoryIndex): { always: Violation[] } {
  const { attempts, retry } = header.deadLetterReasons!.failed!
  const keys = new Set(reading.of('published').map(({ key }) => key))
  const always = [...keys].flatMap((key): Violation[] => {
    const failures = reading.deliveriesOf(key).flatMap(({ answered }) => {
      const outcome = answered?.outcome
      return outcome?.status === 'retry' && outcome.reason === retry ? [answered!] : []
    })
    const last = failures[attempts - 1]
    if (last === undefined) return []
    const laterRequests = reading
      .requestsOf(key)
      .flatMap(({ sent, delivery }) => (delivery !== undefined && delivery.delivered.seq > last.seq ? [sent] : []))
    const [tried] = [...failures.slice(attempts), ...laterRequests].sort((a, b) => a.seq - b.seq)
    if (tried === undefined) return []
    return [
      {
        kind: 'given-up-too-late',
        key,
        sentence:
          `${key} was tried again at ${msText(tried.atUs)}, although ${attempts} attempts had failed by ${msText(last.atUs)} ` +
          `(each answered retry: ${retry}), which the layer declares as its limit`,
        events: [...failures.slice(0, attempts).map(({ seq }) => seq), tried.seq],
      },
    ]
  })
  return { always }
}

export const givenUpTooLate = defineInvariant({
  id: 'given-up-too-late',
  about: 'A message has at most as many attempts as the layer declares.',
  needs: 'deadLetterReasons.failed.retry',
  judge,
})
