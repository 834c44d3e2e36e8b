/** Adds a job for an order: `npx tsx add-order.ts order-1`. Twice makes two jobs for one order. */
import { Queue } from 'bullmq'
import type { Order } from './bullmq-worker.ts'

const [key = 'order-1', producedAt = Date.UTC(2026, 0, 1)] = process.argv.slice(2)
const queue = new Queue<Order>('orders', {
  connection: { host: '127.0.0.1', port: Number(process.env.REDIS_PORT ?? 6379) },
})
// The time when the order was made: it is the same in every job of the order.
await queue.add('charge', { key, producedAt: Number(producedAt), amountCents: 100 })
await queue.close()
