/** Compares messages of two servers that gave different OIDs to the types that were created. */
import { bytesOf, int16, int32 } from 'postgres-sim/wire'
import { expect, it } from 'vitest'
import { itemsOf, type ResponseMessage, typesMadeIn } from '../../../../src/campaign/crosscheck/postgres/responses.ts'

const described = (oid: number): ResponseMessage => ({
  type: 'T',
  body: `${int16(1)}${bytesOf('state')}\0${int32(7)}${int16(3)}${int32(oid)}${int16(4)}${int32(-1)}${int16(0)}`,
})
const parameters = (oid: number): ResponseMessage => ({ type: 't', body: int16(2) + int32(25) + int32(oid) })

const textOf = (message: ResponseMessage, names: Readonly<Record<number, string>>) =>
  itemsOf([message], { session: () => 0, type: (oid) => names[oid] }).map(({ text }) => text)

it.each([
  ['columns', described],
  ['parameters', parameters],
])('user-defined types are compared by name in %s', (_, message) => {
  const one = textOf(message(16_400), { 16400: 'queue.state' })
  expect(textOf(message(24_576), { 24576: 'queue.state' })).toEqual(one)
  expect(textOf(message(24_576), { 24576: 'queue.other' })).not.toEqual(one)
  expect(textOf(message(24_576), {})).not.toEqual(one)
  expect(textOf(message(16_400), { 16400: 'queue.state' })[0]).toContain('queue.state')
})

it('built-in types of PostgreSQL are compared by OID', () => {
  expect(textOf(described(25), { 25: 'text', 23: 'text' })).not.toEqual(
    textOf(described(23), { 23: 'text', 25: 'text' }),
  )
  expect(typesMadeIn(described(16_400))).toEqual([16_400])
  expect(typesMadeIn(parameters(16_400))).toEqual([16_400])
  expect(typesMadeIn(described(25))).toEqual([])
})
