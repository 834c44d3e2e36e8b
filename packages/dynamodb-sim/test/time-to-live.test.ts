import { describe, expect, it } from 'vitest'
import { TablesLab } from './tables-lab.ts'

const seconds = (lab: TablesLab, from: number) => ({ ttl: { N: String(Math.floor(lab.now / 1000) + from) } })

describe('time to live', () => {
  it('deletes an item after the delay that the host chooses, and not before', () => {
    const lab = new TablesLab({ timeToLive: 'ttl' })
    lab.choices = [0, 48 * 3600 - 7200]
    lab.put('a', seconds(lab, 5))
    lab.now += 7_204_000
    expect(lab.get('a').body.Item).toBeDefined()
    lab.now += 1000
    expect(lab.get('a').body).toEqual({})
    expect(lab.expiredKeys).toHaveLength(1)
  })

  it('deletes an item 48 hours after its expiry if the host always chooses 0', () => {
    const lab = new TablesLab({ timeToLive: 'ttl' })
    lab.put('a', seconds(lab, 0))
    lab.now += 48 * 3_600_000 - 1000
    expect(lab.get('a').body.Item).toBeDefined()
    lab.now += 1000
    expect(lab.get('a').body).toEqual({})
  })

  it.each([
    ['at once', [2], 0],
    ['within seconds', [1, 55], 5],
  ])('deletes an item after the delay of the chosen range: %s', (_, choices, late) => {
    const lab = new TablesLab({ timeToLive: 'ttl' })
    lab.choices = choices
    lab.put('a', seconds(lab, 5))
    lab.now += 5000 + late * 1000 - 1
    expect(lab.get('a').body.Item).toBeDefined()
    lab.now += 1
    expect(lab.get('a').body).toEqual({})
    expect(lab.expiredKeys).toEqual(['tab a'])
  })

  it('counts from the expiry that was written last, and does not delete an item whose expiry was removed', () => {
    const lab = new TablesLab({ timeToLive: 'ttl' })
    lab.choices = [48 * 3600, 48 * 3600, 48 * 3600]
    lab.put('a', seconds(lab, 1))
    lab.put('b', seconds(lab, 1))
    lab.update('a', 'SET #t = :t', { ':t': seconds(lab, 60).ttl }, { ExpressionAttributeNames: { '#t': 'ttl' } })
    lab.put('b')
    lab.now += 59_000
    expect([lab.get('a').status, lab.get('a').body.Item?.k, lab.get('b').body.Item?.k]).toEqual([
      200,
      { S: 'a' },
      { S: 'b' },
    ])
    lab.now += 1000
    expect(lab.get('a').body).toEqual({})
  })

  it('never deletes an item whose expiry is not a number, or is more than five years in the past', () => {
    const lab = new TablesLab({ timeToLive: 'ttl' })
    lab.put('a', { ttl: { S: '1' } })
    lab.put('b', seconds(lab, -6 * 365 * 86_400))
    lab.now += 3 * 86_400_000
    expect([lab.get('a').body.Item, lab.get('b').body.Item].every((item) => item !== undefined)).toBe(true)
  })

  it('deletes nothing in a table without a time to live', () => {
    const lab = new TablesLab()
    lab.put('a', seconds(lab, 0))
    lab.now += 3 * 86_400_000
    expect(lab.get('a').body.Item).toBeDefined()
  })

  it('can be turned on and off', () => {
    const lab = new TablesLab()
    const turn = (Enabled: boolean) =>
      lab.send('UpdateTimeToLive', { TableName: 'tab', TimeToLiveSpecification: { Enabled, AttributeName: 'ttl' } })
    expect(turn(false).body.message).toBe('TimeToLive is already disabled')
    expect(turn(true).body).toEqual({ TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } })
    expect(lab.send('DescribeTimeToLive', { TableName: 'tab' }).body).toEqual({
      TimeToLiveDescription: { AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' },
    })
    expect(turn(true).body.message).toBe('TimeToLive is already enabled')
  })
})
