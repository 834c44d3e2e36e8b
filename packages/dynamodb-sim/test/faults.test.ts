import { describe, expect, it } from 'vitest'
import { TablesLab } from './tables-lab.ts'

describe('a fault that the host injects', () => {
  it('throttles a request without executing it', () => {
    const lab = new TablesLab()
    lab.faults = ['throttled']
    expect(lab.put('a')).toMatchObject({ status: 400, error: 'ProvisionedThroughputExceededException' })
    expect(lab.get('a').body).toEqual({})
  })

  it('fails a request that was not executed, or was executed completely', () => {
    const lab = new TablesLab()
    lab.faults = ['failed', 'failed-after']
    expect(lab.put('a')).toMatchObject({ status: 500, error: 'InternalServerError' })
    expect(lab.put('b')).toMatchObject({ status: 500, error: 'InternalServerError' })
    expect([lab.get('a').body.Item, lab.get('b').body.Item]).toEqual([undefined, { k: { S: 'b' } }])
  })

  it('fails a write with the same error if the condition of the write was not met', () => {
    const lab = new TablesLab()
    lab.put('a', { n: { N: '1' } })
    lab.faults = ['failed-after']
    const onlyNew = { ConditionExpression: 'attribute_not_exists(k)' }
    expect(lab.put('a', {}, onlyNew)).toMatchObject({ status: 500, error: 'InternalServerError' })
    expect(lab.get('a').body.Item).toEqual({ k: { S: 'a' }, n: { N: '1' } })
  })

  it('is not taken from the host for an invalid request', () => {
    const lab = new TablesLab()
    lab.faults = ['failed']
    expect(lab.send('PutItem', { TableName: 'tab' }).error).toBe('ValidationException')
    expect(lab.faults).toEqual(['failed'])
  })
})

describe('a feature that is not simulated', () => {
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
  ])('is reported to the host by name and refused: %s', (operation, input, reported) => {
    const lab = new TablesLab()
    expect(lab.send(operation, input).status).toBe(400)
    expect(lab.reported).toEqual([`unsupported: ${reported}`])
  })

  it('is not reported for an operation that does not exist', () => {
    const lab = new TablesLab()
    expect(lab.send('PutItems', {}).error).toBe('UnknownOperationException')
    expect(lab.reported).toEqual([])
  })
})

describe('an item that a failed condition returns', () => {
  it('is contained in the error, and is reported as `unjudged`', () => {
    const lab = new TablesLab()
    lab.put('a', { n: { N: '1' } })
    const more = { ConditionExpression: 'attribute_not_exists(k)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }
    expect(lab.put('a', {}, more).body.Item).toEqual({ k: { S: 'a' }, n: { N: '1' } })
    expect(lab.reported).toEqual(['unjudged: ReturnValuesOnConditionCheckFailure'])
  })
})
