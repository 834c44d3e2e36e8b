import { describe, expect, it } from 'vitest'
import { TablesLab } from './tables-lab.ts'

const put = (k: string, more: object = {}) => ({ Put: { TableName: 'tab', Item: { k: { S: k } }, ...more } })
const absent = { ConditionExpression: 'attribute_not_exists(k)' }
const write = (lab: TablesLab, TransactItems: object[], more: object = {}) =>
  lab.send('TransactWriteItems', { TransactItems, ...more })
const count = (lab: TablesLab) => lab.send('Scan', { TableName: 'tab', ConsistentRead: true }).body.Count

describe('TransactWriteItems', () => {
  it('performs all writes, and is reported as `unjudged`', () => {
    const lab = new TablesLab()
    expect(write(lab, [put('a'), put('b', absent)])).toMatchObject({ status: 200, body: {} })
    expect(count(lab)).toBe(2)
    expect(lab.reported).toEqual(['unjudged: TransactWriteItems'])
  })

  it('performs no write if one condition fails, and returns a reason for each action in order', () => {
    const lab = new TablesLab()
    lab.put('b', { n: { N: '1' } })
    const { error, body } = write(lab, [
      put('a'),
      put('b', { ...absent, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    ])
    expect(error).toBe('TransactionCanceledException')
    expect(body.Message).toBe(
      'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]',
    )
    expect(body.CancellationReasons).toEqual([
      { Code: 'None' },
      {
        Code: 'ConditionalCheckFailed',
        Message: 'The conditional request failed',
        Item: { k: { S: 'b' }, n: { N: '1' } },
      },
    ])
    expect(count(lab)).toBe(1)
  })

  it('does not write for a ConditionCheck', () => {
    const lab = new TablesLab()
    lab.put('a', { n: { N: '1' } })
    const check = (v: string) => ({
      ConditionCheck: {
        TableName: 'tab',
        Key: { k: { S: 'a' } },
        ConditionExpression: 'n = :v',
        ExpressionAttributeValues: { ':v': { N: v } },
      },
    })
    expect(write(lab, [check('1'), put('b')]).status).toBe(200)
    expect(write(lab, [check('2'), put('c')]).error).toBe('TransactionCanceledException')
    expect(count(lab)).toBe(2)
  })

  it('refuses two writes of one item, an unused value, and a key of the wrong type with different errors', () => {
    const lab = new TablesLab()
    expect(write(lab, [put('a'), put('a')]).body.message).toBe(
      'Transaction request cannot include multiple operations on one item',
    )
    const unused = put('a', { ...absent, ExpressionAttributeValues: { ':v': { S: 'x' } } })
    expect(write(lab, [unused]).body.message).toBe(
      'Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}',
    )
    expect(write(lab, [put('')]).error).toBe('ValidationException')
    expect(write(lab, [{ Put: { TableName: 'tab', Item: { k: { N: '5' } } } }]).body.CancellationReasons).toEqual([
      {
        Code: 'ValidationError',
        Message: 'One or more parameter values were invalid: Type mismatch for key k expected: S actual: N',
      },
    ])
    expect(count(lab)).toBe(0)
  })

  it('performs a request with a token once in ten minutes, and refuses another request with that token', () => {
    const lab = new TablesLab()
    lab.put('a', { n: { N: '0' } })
    const add = {
      Update: {
        TableName: 'tab',
        Key: { k: { S: 'a' } },
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      },
    }
    const again = () => write(lab, [add], { ClientRequestToken: 'token' }).status
    expect([again(), again()]).toEqual([200, 200])
    expect(lab.get('a').body.Item.n).toEqual({ N: '1' })
    expect(write(lab, [put('b')], { ClientRequestToken: 'token' }).error).toBe('IdempotentParameterMismatchException')
    lab.now += 600_000
    again()
    expect(lab.get('a').body.Item.n).toEqual({ N: '2' })
  })

  it('is canceled by a conflict that the host injects; a single write fails with TransactionConflictException', () => {
    const lab = new TablesLab()
    lab.faults = ['conflict', 'conflict']
    expect(write(lab, [put('a')]).body.CancellationReasons[0].Code).toBe('TransactionConflict')
    expect(lab.put('a').error).toBe('TransactionConflictException')
    expect(count(lab)).toBe(0)
  })
})

describe('TransactGetItems', () => {
  it('reads the current items, even if eventually consistent reads would miss writes', () => {
    const lab = new TablesLab()
    lab.put('a')
    lab.choices = [1]
    const get = (k: string) => ({ Get: { TableName: 'tab', Key: { k: { S: k } } } })
    expect(lab.send('TransactGetItems', { TransactItems: [get('a'), get('b')] }).body).toEqual({
      Responses: [{ Item: { k: { S: 'a' } } }, {}],
    })
  })
})
