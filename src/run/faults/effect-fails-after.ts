import fc from 'fast-check'
import { effectWord } from '../../contract/results/where-text.ts'
import { atBoundary, type Fault } from './fault.ts'

/** The effect is applied, but the caller gets an error or no answer. */
export const effectFailsAfter: Fault = {
  kind: 'effect-fails-after',
  about: 'the sink applies an effect and answers with an error, or its answer is lost',
  delays: 'none',
  needs: 'the boundary effect-applied instead of a time',
  onlyAt: ['effect-applied'],
  ofRequests: true,
  draw: (scope) =>
    fc.record({
      kind: fc.constant('effect-fails-after'),
      when: atBoundary(scope, ['effect-applied']),
      how: fc.constantFrom('fail', 'drop'),
    }),
  strike(_view, fault, event) {
    if (event === null) return null
    event.verdict = fault.how === 'fail' ? 'fail' : 'drop'
    const what = fault.how === 'fail' ? 'then fails' : 'and its answer is lost'
    return { sentence: `the sink applies the ${effectWord(event.label)} of consumer-${event.slot + 1} ${what}` }
  },
}
