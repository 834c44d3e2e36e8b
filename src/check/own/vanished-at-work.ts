/**
 * An invariant for scenarios in which nothing goes wrong except that effects take long. A layer
 * that declares the reason with which it dead-letters a message whose attempt ended without an
 * answer (`deadLetterReasons.vanished`) must not use this reason while the attempt is running. (A
 * layer without a heartbeat cannot know whether the attempt is running. It declares no such reason,
 * and gives the end of the lease as its reason.)
 *
 * Kind `vanished-at-work`: a message was dead-lettered with this reason while a delivery of its key
 * that had sent its request was still being handled. Pauses and lost links are not considered, so
 * these scenarios must not plan any.
 */
import type { History } from '../../contract/api/history.ts'
import { type HistoryIndex, isOpenAt } from '../../contract/api/history-index.ts'
import { defineInvariant, type Violation } from '../../contract/api/verdict.ts'
import { msText } from '../../contract/results/time-text.ts'

function judge({ header }: History, reading: HistoryIndex): { whereSupported: Violation[] } {
  const whereSupported = reading
    .of('settled')
    .filter(({ as, reason }) => as === 'dead-lettered' && reason === header.deadLetterReasons!.vanished)
    .flatMap((settled): Violation[] => {
      const key = reading.ofMessage('published', settled.messageId)[0]?.key ?? ''
      const atWork = reading
        .requestsOf(key)
        .find(({ sent, delivery }) => sent.seq < settled.seq && delivery !== undefined && isOpenAt(delivery, settled))
      if (atWork === undefined) return []
      return [
        {
          kind: 'vanished-at-work',
          key,
          sentence:
            `${settled.messageId} (key ${key}) was dead-lettered at ${msText(settled.atUs)} as "${settled.reason}", ` +
            `but ${atWork.sent.process} was still handling it`,
          events: [atWork.sent.seq, settled.seq],
        },
      ]
    })
  return { whereSupported }
}

export const vanishedAtWork = defineInvariant({
  id: 'vanished-at-work',
  about: 'A working holder that reaches its store keeps its key for longer than a lease.',
  needs: 'deadLetterReasons.vanished',
  judge,
})
