/**
 * Article 002, third pattern as in 002-owner-token.ts, on the broker that the article names: a
 * Kafka topic with partitions, and a consumer group that commits offsets.
 *
 * Decided here: a message that is skipped, or that lost its lock, is not committed, and blocks its
 * partition.
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
