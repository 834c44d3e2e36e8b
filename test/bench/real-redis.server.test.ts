import { expect } from 'vitest'
import { askedTables } from '../../bench/asked-tables.ts'
import { measureRealRedis } from '../../bench/real-redis/measure.ts'
import { encodings } from '../../bench/real-redis/records.ts'
import { needs } from '../needs/needs.ts'

needs({ redis: '7.0' }).it('the bench measures each command and record on a real Redis, one row each', async () => {
  const found = await measureRealRedis({ rounds: 1, quick: true, print: () => {} })
  expect(found.redis).toMatch(/^7\.0\./)
  for (const { name, times } of found.commands) {
    expect(
      times.map(({ atOnce }) => atOnce),
      name,
    ).toEqual([1, 16, 64])
    for (const { p50Ms, p99Ms } of times) expect(p99Ms, name).toBeGreaterThanOrEqual(p50Ms)
  }
  expect(found.records.map(({ name }) => name)).toEqual([...encodings, encodings[0]!].map(({ name }) => name))
  // On every machine, a record takes more memory than its bytes, and a shorter record takes less.
  for (const { name, keyBytes, valueBytes, bytesAKey } of found.records)
    expect(bytesAKey, name).toBeGreaterThan(keyBytes + valueBytes)
  const bytesOf = (name: string) => found.records.find((one) => one.name.startsWith(name))!.bytesAKey
  expect(bytesOf('JSON, as')).toBeGreaterThan(bytesOf('JSON with'))
  expect(bytesOf('JSON with')).toBeGreaterThan(bytesOf('packed: 27'))
  expect(bytesOf('packed: 27')).toBeGreaterThan(bytesOf('packed, and'))
  const table = askedTables({ realRedis: found })
  for (const { name } of [...found.commands, ...found.records]) expect(table).toContain(`\n${name} `)
})
