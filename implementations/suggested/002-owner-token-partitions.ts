/**
 * Article 002, third pattern as in 002-owner-token.ts, on the broker that the article names: a
 * topic of Kafka with partitions, and a consumer group that commits offsets.
 *
 * Decided here: a skipped message, or one whose lock was lost, is not committed, and holds its
 * partition up.
 */
import { ownerToken, scriptedLock } from '../articles/002-owner-token.ts'
import { allShapes } from '../parts/client-of.ts'

export default ownerToken({
  id: '002-owner-token-partitions',
  about: 'The owner token on partitions of a topic, which wait for a message that is skipped (article 002, its Kafka).',
  nothing: { status: 'retry', reason: 'nothing was returned' },
  lockOf: scriptedLock,
  shapes: allShapes,
  broker: 'partitions',
})
