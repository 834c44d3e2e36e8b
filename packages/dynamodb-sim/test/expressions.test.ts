import { describe, expect, it } from 'vitest'
import { TablesLab } from './tables-lab.ts'

/** True if an item with these attributes meets the condition. */
function meets(condition: string, item: object, values: object = {}): boolean {
  const lab = new TablesLab()
  lab.put('a', item)
  const given = Object.keys(values).length > 0 && { ExpressionAttributeValues: values }
  return lab.put('a', item, { ConditionExpression: condition, ...given }).status === 200
}

describe('the simulated DynamoDB, in conditions that dynalite does not support', () => {
  it('compares maps and lists member by member', () => {
    const m = { M: { x: { L: [{ N: '1' }, { S: 'a' }] } } }
    expect(meets('m = :v', { m }, { ':v': { M: { x: { L: [{ N: '1.0' }, { S: 'a' }] } } } })).toBe(true)
    expect(meets('m = :v', { m }, { ':v': { M: { x: { L: [{ N: '2' }, { S: 'a' }] } } } })).toBe(false)
  })

  it('treats empty strings and false like any other value', () => {
    expect(meets('s IN (:v)', { s: { S: '' } }, { ':v': { S: '' } })).toBe(true)
    expect(meets('attribute_type(s, :v)', { s: { BOOL: false } }, { ':v': { S: 'BOOL' } })).toBe(true)
  })

  it.each(['', 'ä'])('reports the size of %j as `unjudged`', (text) => {
    const lab = new TablesLab()
    lab.put('a', { s: { S: text } })
    const size = String(Buffer.byteLength(text))
    const more = { ConditionExpression: 'size(s) = :v', ExpressionAttributeValues: { ':v': { N: size } } }
    expect(lab.put('a', {}, more).status).toBe(200)
    expect(lab.reported).toEqual([expect.stringContaining('unjudged: size of')])
  })

  it('finds members of any type in lists', () => {
    expect(meets('contains(l, :v)', { l: { L: [{ BOOL: true }] } }, { ':v': { BOOL: true } })).toBe(true)
    expect(meets('contains(l, :v)', { l: { L: [{ BOOL: true }] } }, { ':v': { BOOL: false } })).toBe(false)
  })

  it('orders strings by their UTF-8 bytes', () => {
    // In UTF-16 order, the first string is smaller.
    expect(meets('s > :v', { s: { S: '\u{1f600}' } }, { ':v': { S: '\uff5e' } })).toBe(true)
  })
})

describe('updates that dynalite does not support', () => {
  it('remove members of a list by their indexes before the update', () => {
    const lab = new TablesLab()
    lab.put('a', { l: { L: [{ N: '0' }, { N: '1' }, { N: '2' }, { N: '3' }] } })
    lab.update('a', 'REMOVE l[0], l[1] SET l[3] = :v, l[9] = :w, l[7] = :v', { ':v': { N: '30' }, ':w': { N: '90' } })
    expect(lab.get('a').body.Item.l).toEqual({ L: [{ N: '2' }, { N: '30' }, { N: '30' }, { N: '90' }] })
  })

  it('evaluate all actions with the item as it was before the update', () => {
    const lab = new TablesLab()
    lab.put('a', { n: { N: '1' } })
    lab.update('a', 'SET copied = n ADD n :one', { ':one': { N: '1' } })
    expect(lab.get('a').body.Item).toEqual({ k: { S: 'a' }, n: { N: '2' }, copied: { N: '1' } })
  })

  it('are refused without writing anything if a result has more than 38 digits', () => {
    const lab = new TablesLab()
    lab.put('a', { n: { N: '1e37' } })
    expect(lab.update('a', 'SET n = n + :tiny', { ':tiny': { N: '0.1' } }).body.message).toBe(
      'Attempting to store more than 38 significant digits in a Number',
    )
    expect(lab.get('a').body.Item.n).toEqual({ N: `1${'0'.repeat(37)}` })
  })

  it('accept the names of members of Object.prototype as attribute names', () => {
    const lab = new TablesLab()
    const names = { '#p': '__proto__', '#c': 'constructor' }
    const more = { ConditionExpression: 'attribute_not_exists(#c)', ExpressionAttributeNames: names }
    expect(lab.update('a', 'SET #p = :v', { ':v': { S: 'x' } }, more).status).toBe(200)
    expect(Object.entries(lab.get('a').body.Item)).toEqual([
      ['k', { S: 'a' }],
      ['__proto__', { S: 'x' }],
    ])
  })
})

describe('an expression that cannot be parsed', () => {
  it.each([
    ['attribute_not_exists(', 'token: "<EOF>", near: "("'],
    ['a = = :v', 'token: "=", near: "= = :v"'],
  ])('is refused with an error that names the token and the text around it: %s', (condition, reported) => {
    const values = condition.includes(':v') ? { ExpressionAttributeValues: { ':v': { S: 'x' } } } : {}
    expect(new TablesLab().put('a', {}, { ConditionExpression: condition, ...values }).body.message).toBe(
      `Invalid ConditionExpression: Syntax error; ${reported}`,
    )
  })
})
