/**
 * Findings as SARIF 2.1.0, for code scanning: a rule for each way of breaking, a result for each finding.
 * Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
 */
import { invariantDoc } from '../../check/docs.ts'
import type { Results } from '../../contract/results/results.ts'
import type { Break } from '../break.ts'
import { type Asked, failedFindings, saidOf } from './failures.ts'
import type { PlaceOf } from './github.ts'

export function sarifLog(results: Results, asked: Asked, placeOf: PlaceOf): object {
  const failed = failedFindings(results, asked)
  const rules = new Map(failed.map((one) => [ruleOf(one), one.cause]))
  const [name, version] = results.tool.split(' ')
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name,
            version,
            rules: [...rules].map(([id, { invariant }]) => ({
              id,
              shortDescription: { text: invariantDoc(invariant).broken },
              fullDescription: { text: invariantDoc(invariant).demand },
            })),
          },
        },
        results: failed.map((one) => resultOf(one, placeOf)),
      },
    ],
  }
}

const ruleOf = ({ cause }: Break): string => `${cause.invariant}/${cause.kind}`

function resultOf(one: Break, placeOf: PlaceOf): object {
  const { implementation, sink, story, replay, cause } = one
  // GitHub refuses the whole file where one result has no location.
  const { file, line } = placeOf(one) ?? { file: 'package.json', line: 1 }
  const uri = file.split('/').map(encodeURIComponent).join('/')
  return {
    ruleId: ruleOf(one),
    level: 'error',
    message: { text: [saidOf(one), '', ...story, `replay: ${replay}`].join('\n') },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: line } } }],
    // Findings are the same one from campaign to campaign where their cause is.
    partialFingerprints: { 'onceproofCause/v1': JSON.stringify([implementation, sink, cause]) },
  }
}
