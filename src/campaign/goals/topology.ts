/**
 * Goals about a Redis deployment that changes: which server is the primary, and which writes the
 * other servers lack.
 */
import type { History, PromotionDefect } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

export const topologyGoals: readonly Goal[] = [
  {
    name: 'a-server-was-promoted',
    about: 'Sentinels promoted a replica.',
    reached: (history) => promotions(history).length >= 1,
  },
  {
    name: 'an-acknowledged-write-was-lost-by-failover',
    about: 'A client had the reply to its write, and the server that was promoted then lacked the write.',
    reached: (history) =>
      indexHistory(history)
        .of('data-lost')
        .some(({ cause, acknowledged }) => cause === 'failover' && acknowledged === true),
  },
  {
    name: 'an-acknowledged-write-was-lost-by-a-restart',
    about: 'A client had the reply to its write, and the server then restarted without the write.',
    reached: (history) =>
      indexHistory(history)
        .of('data-lost')
        .some(({ cause, acknowledged }) => cause === 'restart' && acknowledged === true),
  },
  {
    name: 'a-replica-that-synced-anew-was-promoted',
    about: "A replica replaced its data by its primary's while work was under way, and was promoted later.",
    reached: (history) =>
      promotions(history).some((promoted) =>
        indexHistory(history)
          .of('topology')
          .some(
            // At time 0, every replica resynchronizes, so only later synchronizations count.
            ({ what, node, atUs, seq }) =>
              what === 'resynced' && node === promoted.node && atUs > 0 && seq < promoted.seq,
          ),
      ),
  },
  {
    name: 'a-replica-that-never-synced-was-promoted',
    about: 'A replica that had restarted empty was promoted before it had synced with a primary.',
    onlySimulated: true,
    reached: (history) => isPromoted(history, 'never-synced'),
  },
  {
    name: 'a-replica-that-forgot-was-promoted',
    about: 'A replica restarted with less than it had acknowledged, and was promoted before it had the rest again.',
    onlySimulated: true,
    reached: (history) => isPromoted(history, 'forgetful'),
  },
  {
    name: 'a-replica-was-promoted-mid-resync',
    about: 'A replica was promoted in the middle of a full sync from its primary.',
    onlySimulated: true,
    reached: (history) => isPromoted(history, 'mid-resync'),
  },
  {
    name: 'a-replica-that-may-not-be-promoted-was-passed-over',
    about: 'A server was promoted while a replica was up that may have acknowledged more but may never be promoted.',
    onlySimulated: true,
    reached: (history) => promotions(history).some(({ passedOver }) => passedOver !== undefined),
  },
  {
    name: 'a-stopped-primary-woke-up',
    about: 'A primary stalled, was replaced meanwhile, and went on.',
    reached(history) {
      const read = indexHistory(history)
      const stopped = read.of('fault-struck').filter(({ fault }) => fault === 'slow-redis')
      return stopped.some(({ index, node, seq }) => {
        const woke = read.of('fault-healed').find((healed) => healed.index === index)
        return promotions(history).some((one) => woke && one.other === node && one.seq > seq && one.seq < woke.seq)
      })
    },
  },
  {
    name: 'two-primaries-served-at-once',
    about: 'A primary that had been replaced executed a write of a consumer.',
    reached: (history) =>
      indexHistory(history)
        .of('data-lost')
        .some(({ cause }) => cause === 'split-brain'),
  },
  {
    name: 'two-failovers-in-a-row',
    about: 'A server was promoted, and later another one instead of it.',
    reached: (history) => promotions(history).length >= 2,
  },
  {
    name: 'a-primary-was-primary-again',
    about: 'A primary was replaced, and later promoted again.',
    reached(history) {
      const promoted = promotions(history)
      return promoted.some(({ node }, at) => promoted.slice(0, at).some(({ other }) => other === node))
    },
  },
  {
    name: 'an-empty-primary-wiped-its-replicas',
    about: 'A primary restarted empty before anything missed it, and its replicas dropped their data.',
    reached(history) {
      const read = indexHistory(history)
      const [promoted] = promotions(history)
      return read
        .of('data-lost')
        .filter(({ cause, redisKeys = [] }) => cause === 'restart' && redisKeys.length > 0)
        .some((lost) =>
          read
            .of('topology')
            .some(
              ({ what, node, seq }) =>
                what === 'resynced' && node !== lost.node && seq > lost.seq && !(promoted && promoted.seq < seq),
            ),
        )
    },
  },
  {
    name: 'a-sentinel-learned-late',
    about: 'A Sentinel announced a new primary more than a second after it was promoted.',
    reached: (history) =>
      promotions(history).some((promoted) =>
        indexHistory(history)
          .of('topology')
          .some(
            ({ what, other, atUs }) =>
              what === 'announced' && other === promoted.node && atUs > promoted.atUs + 1_000_000,
          ),
      ),
  },
  {
    name: 'a-replaced-primary-came-back',
    about: 'A former primary replaced its data by the data of the server that was promoted.',
    reached: (history) =>
      promotions(history).some((promoted) =>
        indexHistory(history)
          .of('topology')
          .some(({ what, node, seq }) => what === 'resynced' && seq > promoted.seq && node === promoted.other),
      ),
  },
]

function isPromoted(history: History, defect: PromotionDefect): boolean {
  return promotions(history).some((promoted) => promoted.defects?.includes(defect))
}

function promotions(history: History) {
  return indexHistory(history)
    .of('topology')
    .filter(({ what }) => what === 'promoted')
}
