import { describe, expect, it } from 'vitest'
import { TablesLab } from './tables-lab.ts'

const eventual = {}

describe('an eventually consistent read', () => {
  it('misses the number of latest writes to its partition that the host chooses', () => {
    const lab = new TablesLab()
    for (const n of ['1', '2', '3']) lab.put('a', { n: { N: n } })
    const seen = [0, 1, 2, 3].map((missed) => {
      lab.choices = [missed]
      return lab.get('a', eventual).body.Item?.n.N
    })
    expect(seen).toEqual(['3', '2', '1', undefined])
    expect(new Set(lab.asked)).toEqual(new Set(['latest writes to tab that a read misses']))
  })

  it('sees an item that was deleted, and asks the host for a choice only while a write can be missed', () => {
    const lab = new TablesLab()
    lab.put('a')
    lab.now += 1000
    expect(lab.get('a', eventual).body.Item).toBeDefined()
    expect(lab.asked).toEqual([])
    lab.send('DeleteItem', { TableName: 'tab', Key: { k: { S: 'a' } } })
    lab.choices = [1]
    expect(lab.get('a', eventual).body.Item).toEqual({ k: { S: 'a' } })
    expect(lab.get('a').body).toEqual({})
  })

  it('reports to the host the answer that a consistent read would have returned, without another choice', () => {
    const lab = new TablesLab()
    lab.put('a', { n: { N: '1' } })
    lab.put('a', { n: { N: '2' } })
    lab.choices = [1, 0]
    expect(lab.get('a', eventual).body.Item.n.N).toBe('1')
    expect(lab.missedReads).toEqual([{ Item: { k: { S: 'a' }, n: { N: '2' } } }])
    expect(lab.get('a', eventual).body.Item.n.N).toBe('2')
    lab.choices = [2]
    expect(
      lab.send('Query', {
        TableName: 'tab',
        KeyConditionExpression: 'k = :k',
        ExpressionAttributeValues: { ':k': { S: 'a' } },
      }).body.Count,
    ).toBe(0)
    expect(lab.missedReads.slice(1)).toEqual([expect.objectContaining({ Count: 1 })])
    expect(lab.asked).toHaveLength(3)
  })

  it('misses no write from before `settle`', () => {
    const lab = new TablesLab()
    lab.put('a')
    lab.tables.settle()
    lab.choices = [1]
    expect(lab.get('a', eventual).body.Item).toBeDefined()
  })

  it('misses no write to another partition; with ConsistentRead, a read misses no write at all', () => {
    const lab = new TablesLab()
    lab.put('a')
    lab.choices = [1, 1]
    expect(lab.get('a').body.Item).toBeDefined()
    expect(lab.get('b', eventual).body).toEqual({})
    expect(lab.asked).toEqual([])
  })

  it('scans each partition in a state that is chosen for that partition', () => {
    const lab = new TablesLab()
    lab.put('a')
    lab.put('b')
    lab.choices = [1, 0]
    expect(lab.send('Scan', { TableName: 'tab' }).body.Count).toBe(1)
    expect(lab.send('Scan', { TableName: 'tab', ConsistentRead: true }).body.Count).toBe(2)
  })

  it('queries the state at one moment of the past', () => {
    const lab = new TablesLab({ sortKey: true })
    for (const r of ['1', '2', '3']) lab.send('PutItem', { TableName: 'tab', Item: { k: { S: 'a' }, r: { N: r } } })
    lab.choices = [2]
    const query = {
      TableName: 'tab',
      KeyConditionExpression: 'k = :k',
      ExpressionAttributeValues: { ':k': { S: 'a' } },
    }
    expect(lab.send('Query', query).body.Items).toEqual([{ k: { S: 'a' }, r: { N: '1' } }])
  })
})
