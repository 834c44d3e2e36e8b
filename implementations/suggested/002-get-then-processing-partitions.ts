/**
 * Article 002, first pattern as in 002-get-then-processing.ts, on the broker that the article
 * names: a Kafka topic with partitions, and a consumer group that commits offsets. Copies of a key
 * are then in one partition, in order, and only a rebalance gives one message to two consumers.
 * That is exactly how the article breaks this pattern.
 *
 * Decided here: a skipped message is committed, as in 002-get-then-processing.ts.
 */
import { getThenProcessing } from '../articles/002-get-then-processing.ts'

export default getThenProcessing({
  id: '002-get-then-processing-partitions',
  about: 'GET, SET PROCESSING, perform, SET the result, on partitions of a topic (article 002, its Kafka).',
  skipped: { status: 'done', result: null },
  broker: 'partitions',
})
