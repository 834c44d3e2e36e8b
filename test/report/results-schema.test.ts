import fs from 'node:fs'
import { Ajv } from 'ajv'
import { createGenerator } from 'ts-json-schema-generator'
import { describe, expect, it } from 'vitest'
import { broken, finding, pair, replayed, results, violation } from './made-up-results.ts'

const published = 'docs/reference/results.schema.json'

function problems(data: unknown): string[] {
  const isValid = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(fs.readFileSync(published, 'utf8')))
  isValid(data)
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

describe('the schema of results.json', () => {
  it('matches the types; `vitest -u` updates it', async () => {
    const schema = createGenerator({
      path: 'src/contract/results/results.ts',
      tsconfig: 'tsconfig.json',
      type: 'Results',
      skipTypeCheck: true,
      additionalProperties: false,
    }).createSchema('Results')
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`../../${published}`)
  })

  it('accepts results, and rejects another version, a missing member or an additional one', () => {
    const good = results({ findings: [finding('F1')] })
    expect(problems(JSON.parse(JSON.stringify(good)))).toEqual([])
    expect(problems({ ...good, schemaVersion: 2 })).toEqual(['/schemaVersion must be equal to constant'])
    expect(problems({ ...good, findings: [{ ...finding('F1'), why: undefined }] })).not.toEqual([])
    expect(problems({ ...good, pairs: [{ ...pair(), verdict: 'perhaps' }] })).not.toEqual([])
    expect(problems({ ...good, more: 1 })).not.toEqual([])
  })

  it('distinguishes the violations of campaigns, replays and live runs', () => {
    const withOne = (one: object) => problems({ ...results(), pairs: [{ ...broken(), violations: [one] }] })
    const { why: _, ...unexplained } = replayed()
    for (const one of [violation({ runs: [312] }), replayed(), { ...unexplained, token: null }])
      expect(withOne(one)).toEqual([])
    for (const one of [{ ...violation(), asPlayed: true }, unexplained, { ...replayed(), runs: [312] }])
      expect(withOne(one)).not.toEqual([])
  })
})
