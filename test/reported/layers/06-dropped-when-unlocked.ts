/** A job holds a lock while it is queued. If the lock has expired by then, the job is dropped. */
import { locked } from './parts/locked.ts'

const layer = (id: string, drops: boolean) =>
  locked(
    id,
    async ({ key, payload }, { client, leaseMs, sink }) => {
      const take = (name: string) => client.set(name, 'taken', 'PX', leaseMs, 'NX')
      if ((await take(`queued:${key}`)) === null) return { status: 'retry', reason: 'it is queued' }
      const freed = await client.del(`queued:${key}`)
      if (drops && freed === 0) return { status: 'done', result: null, resultKept: false }
      if ((await take(`running:${key}`)) === null) return { status: 'retry', reason: 'it is running' }
      try {
        return { status: 'done', result: await sink.perform({ key, payload }) }
      } finally {
        client.del(`running:${key}`).catch(() => {})
      }
    },
    { lacks: ['stored-result'], leavesNoDoubtOn: [] },
  )

export const bug = layer('dropped-when-unlocked', true)
export const fix = layer('run-although-unlocked', false)
