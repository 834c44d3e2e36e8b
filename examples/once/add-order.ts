/**
 * Adds a job for an order that was made at a time, in milliseconds since the Unix epoch:
 *
 *     npx tsx add-order.ts order-1 1790000000000
 *
 * The same line again makes another job for the same order.
 */
import { Queue } from 'bullmq'
import type { Order } from './bullmq-worker.ts'

const [key, producedAt] = process.argv.slice(2)
if (key === undefined || producedAt === undefined) throw new Error('give the order and the time when it was made')
const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT ?? 6379) }
const queue = new Queue<Order>('orders', { connection })
await queue.add('charge', { key, producedAt: Number(producedAt), amountCents: 100 })
await queue.close()
