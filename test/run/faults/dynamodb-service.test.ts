import { describe, expect, it } from 'vitest'
import { atReserve, reserved } from '../../sim/dynamodb-lab.ts'

describe('dynamodb-error', () => {
  it.each([
    ['failed', 'done'],
    ['failed-after', 'ConditionalCheckFailedException'],
  ])('answers one request with an InternalServerError (%s): the SDK retries, and gets %s', async (error, reported) => {
    const struck = { ...atReserve('dynamodb-error', 'command-unexecuted'), error }
    expect(await reserved({ faults: [struck] })).toMatchObject({ outcome: reported, lost: 0 })
  })

  it('strikes its own request, even while all others are throttled', async () => {
    const throttled = { ...atReserve('dynamodb-throttled', 'command-unsent'), healAfterMs: 20 }
    const struck = { ...atReserve('dynamodb-error', 'command-unexecuted'), error: 'failed-after' }
    expect(await reserved({ faults: [throttled, struck] })).toMatchObject({
      outcome: 'ConditionalCheckFailedException',
    })
  })
})

describe('dynamodb-throttled', () => {
  it('refuses all requests for a while, and the SDK gives up after three tries', async () => {
    const throttled = (healAfterMs: number) =>
      reserved({ faults: [{ ...atReserve('dynamodb-throttled', 'command-unexecuted'), healAfterMs }] })
    expect(await throttled(10_000)).toMatchObject({ outcome: 'ProvisionedThroughputExceededException' })
    expect(await throttled(1)).toMatchObject({ outcome: 'done' })
  })
})

describe('slow-dynamodb', () => {
  it('delays requests until it heals', async () => {
    const slow = { ...atReserve('slow-dynamodb', 'command-unsent'), healAfterMs: 3000 }
    const { outcome, tookMs } = await reserved({ faults: [slow] })
    expect([outcome, tookMs >= 3000]).toEqual(['done', true])
  })
})
