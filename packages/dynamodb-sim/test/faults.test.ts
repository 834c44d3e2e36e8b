import { describe, expect, it } from 'vitest'
import { TablesLab } from './tables-lab.ts'

describe('what the host does to requests', () => {
  it('throttles: nothing is done', () => {
    const lab = new TablesLab()
    lab.faults = ['throttled']
    expect(lab.put('a')).toMatchObject({ status: 400, error: 'ProvisionedThroughputExceededException' })
    expect(lab.get('a').body).toEqual({})
  })

  it('fails, with nothing done or with all of it', () => {
    const lab = new TablesLab()
    lab.faults = ['failed', 'failed-after']
    expect(lab.put('a')).toMatchObject({ status: 500, error: 'InternalServerError' })
    expect(lab.put('b')).toMatchObject({ status: 500, error: 'InternalServerError' })
    expect([lab.get('a').body.Item, lab.get('b').body.Item]).toEqual([undefined, { k: { S: 'b' } }])
  })

  it('fails also where the condition of the write was not met: the error says neither', () => {
    const lab = new TablesLab()
    lab.put('a', { n: { N: '1' } })
    lab.faults = ['failed-after']
    const onlyNew = { ConditionExpression: 'attribute_not_exists(k)' }
    expect(lab.put('a', {}, onlyNew)).toMatchObject({ status: 500, error: 'InternalServerError' })
    expect(lab.get('a').body.Item).toEqual({ k: { S: 'a' }, n: { N: '1' } })
  })

  it('is not asked about requests that are refused as they are', () => {
    const lab = new TablesLab()
    lab.faults = ['failed']
    expect(lab.send('PutItem', { TableName: 'tab' }).error).toBe('ValidationException')
    expect(lab.faults).toEqual(['failed'])
  })
})

describe('commands that are not simulated', () => {
  it.each([
    ['Query', { TableName: 'tab', IndexName: 'idx' }, 'Query with IndexName'],
    [
      'PutItem',
      { TableName: 'tab', Item: { k: { S: 'a' } }, Expected: { k: { Exists: false } } },
      'PutItem with Expected',
    ],
    [
      'BatchGetItem',
      { RequestItems: { tab: { Keys: [{ k: { S: 'a' } }], AttributesToGet: ['k'] } } },
      'BatchGetItem with AttributesToGet',
    ],
    ['ExecuteStatement', { Statement: 'select * from t' }, 'ExecuteStatement'],
  ])('the host hears of %s by name, and it is refused', (operation, input, reported) => {
    const lab = new TablesLab()
    expect(lab.send(operation, input).status).toBe(400)
    expect(lab.reported).toEqual([`unsupported: ${reported}`])
  })

  it('hears of no operation that does not exist', () => {
    const lab = new TablesLab()
    expect(lab.send('PutItems', {}).error).toBe('UnknownOperationException')
    expect(lab.reported).toEqual([])
  })
})

describe('an item that a failed condition returns', () => {
  it('is in the error, and judged by nobody', () => {
    const lab = new TablesLab()
    lab.put('a', { n: { N: '1' } })
    const more = { ConditionExpression: 'attribute_not_exists(k)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }
    expect(lab.put('a', {}, more).body.Item).toEqual({ k: { S: 'a' }, n: { N: '1' } })
    expect(lab.reported).toEqual(['unjudged: ReturnValuesOnConditionCheckFailure'])
  })
})
