/**
 * For scenarios in which the store keeps its data: a layer that declares what it says of a message
 * when so many attempts have failed, and with which reason of a retry such an attempt ends
 * (`deadLetterReasons.failed.retry`), must not have forgotten one that it has counted.
 *
 * Kind `given-up-too-late`: deliveries of the key ended with that reason as often as it declares,
 * and a later one was tried all the same: it ended so again, or sent a request.
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
