/**
 * Root causes as SARIF 2.1.0, for code scanning: a rule and a result for each. Source:
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/
 */
import { invariantDoc } from '../../check/docs.ts'
import type { AcceptedRiskResult, PairResult, Results } from '../../contract/results/results.ts'
import type { Break } from '../break.ts'
import { type Asked, failedExamples, fixLines, ruleOf, saidOf } from './failures.ts'
import type { PlaceOf, SourcePlace } from './github.ts'

export function sarifLog(results: Results, asked: Asked, placeOf: PlaceOf): object {
  const failed = failedExamples(results, asked)
  const accepted = results.pairs.flatMap((pair) => acceptedIn(pair))
  const rules = new Map([...failed, ...accepted].map((one) => [ruleOf(one), one]))
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
            rules: [...rules].map(
              ([
                id,
                {
                  cause: { invariant },
                  root,
                },
              ]) => ({
                id,
                shortDescription: { text: root?.title ?? invariantDoc(invariant).broken },
                fullDescription: { text: invariantDoc(invariant).demand },
                ...(root?.fix ? { help: { text: root.fix } } : {}),
              }),
            ),
          },
        },
        results: [...failed.map((one) => resultOf(one, placeOf)), ...accepted.map((one) => suppressed(one, placeOf))],
      },
    ],
  }
}

/** A violation of a pair, and the accepted risk that explains it. */
type AcceptedWay = Pick<Break, 'implementation' | 'sink' | 'cause' | 'root'> &
  Pick<AcceptedRiskResult, 'what' | 'because'> &
  Pick<AcceptedRiskResult['ways'][number], 'sentence' | 'replay'>

const acceptedIn = ({ implementation, sink, acceptedRisks = [] }: PairResult): AcceptedWay[] =>
  acceptedRisks.flatMap(({ what, because, ways }) =>
    ways.map(({ invariant, kind, sentence, replay }) => {
      const cause = { invariant, kind, path: [], decidedBy: null, needs: [] }
      return { implementation, sink, what, because, cause, sentence, replay }
    }),
  )

/** A result that code scanning lists as dismissed, with the reason. */
function suppressed(one: AcceptedWay, placeOf: PlaceOf): object {
  const { what, because, sentence, replay } = one
  return {
    ruleId: ruleOf(one),
    level: 'note',
    message: { text: `${sentence}\n\nreplay: ${replay}` },
    locations: locationsOf(placeOf(one)),
    suppressions: [{ kind: 'external', status: 'accepted', justification: `${what}: ${because}` }],
  }
}

function resultOf(one: Break, placeOf: PlaceOf): object {
  const { implementation, sink, story, replay } = one
  return {
    ruleId: ruleOf(one),
    level: 'error',
    ...(one.known === undefined ? {} : { baselineState: 'unchanged' }),
    message: { text: [saidOf(one), '', ...story, ...fixLines(one), `replay: ${replay}`].join('\n') },
    locations: locationsOf(placeOf(one)),
    partialFingerprints: { 'onceproofRootCause/v1': JSON.stringify([implementation, sink, ruleOf(one)]) },
  }
}

/**
 * The location of a result. If it is unknown, a default is used, because GitHub rejects the whole
 * file if a result has no location.
 */
function locationsOf(place: SourcePlace | null): object[] {
  const { file, line } = place ?? { file: 'package.json', line: 1 }
  const uri = file.split('/').map(encodeURIComponent).join('/')
  return [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: line } } }]
}
