import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { RecordStore } from '../../src/impl/layer.ts'
import { Lease } from '../../src/impl/lease.ts'
import type { Hold } from '../../src/impl/records.ts'

describe('the lease of an attempt', () => {
  it('aborts its signal when the store says that another attempt holds the key', async () => {
    const lease = leaseOver('lost')
    await once(lease.signal, 'abort')
    expect(lease.signal.reason).toMatchObject({ message: 'lease lost: another attempt may hold the key' })
    expect(lease.alive).toBe(false)
  })

  it('has an aborted signal if the signal is first read after the loss', async () => {
    const lease = leaseOver('lost')
    await new Promise<void>((lost) => lease.whenLost(lost))
    expect(lease.signal.aborted).toBe(true)
  })

  it('calls a listener at once if it was lost before', async () => {
    const lease = leaseOver('lost')
    await once(lease.signal, 'abort')
    let called = false
    lease.whenLost(() => {
      called = true
    })
    expect(called).toBe(true)
  })

  it('stays alive without an abort while the store renews it', async () => {
    let renewals = 0
    const lease = leaseOver('renewed', () => renewals++)
    let called = false
    lease.whenLost(() => {
      called = true
    })
    while (renewals < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    lease.stop()
    expect({ called, aborted: lease.signal.aborted, alive: lease.alive }).toEqual({
      called: false,
      aborted: false,
      alive: true,
    })
  })
})

/** A lease of 300 ms, whose store gives every renewal the same answer. */
function leaseOver(status: 'lost' | 'renewed', asked = () => {}): Lease {
  const renew = async () => {
    asked()
    return status === 'lost' ? { status } : { status, sinceMs: performance.now() }
  }
  const hold = { key: 'order-1', fence: 1, sinceMs: performance.now() } as unknown as Hold
  return new Lease({ renew } as unknown as RecordStore, hold, { leaseMs: 300, notify: () => {} })
}
