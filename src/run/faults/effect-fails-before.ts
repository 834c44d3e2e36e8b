import fc from 'fast-check'
import { cancellationLabel, effectWord } from '../../contract/results/where-text.ts'
import { atBoundary, type Fault } from './fault.ts'

/**
 * The sink does not apply the effect: it refuses the request for good, fails, or never gets the
 * request. On a `transactional` sink the fault strikes at `effect-unsent`, and the layer gets no
 * statement. That boundary is never drawn, because on other sinks a request that has not been sent
 * can only be lost, not answered.
 */
export const effectFailsBefore: Fault = {
  kind: 'effect-fails-before',
  about: 'the sink refuses an effect for good, or fails, or never sees the request: nothing is applied',
  delays: 'none',
  needs: 'the boundary effect-unapplied instead of a time (effect-unsent if effects are rows)',
  onlyAt: ['effect-unapplied', 'effect-unsent'],
  ofRequests: true,
  draw: (scope) =>
    fc.record({
      kind: fc.constant('effect-fails-before'),
      when: atBoundary(scope, ['effect-unapplied']),
      how: fc.constantFrom('refuse', 'fail', 'drop'),
    }),
  strike({ sink }, fault, event) {
    if (event === null) return null
    const isUnsent = event.boundary === 'effect-unsent'
    if (isUnsent && sink !== 'transactional' && fault.how !== 'drop') return null
    const name = `consumer-${event.slot + 1}`
    // Not modelled: a sink that refuses a cancellation.
    if (fault.how === 'refuse' && event.label !== cancellationLabel) {
      event.verdict = 'refuse'
      return { sentence: `the sink refuses the effect of ${name} for good` }
    }
    event.verdict = fault.how === 'drop' ? 'drop' : 'fail'
    if (fault.how !== 'drop')
      return { sentence: `the sink fails before it applies the ${effectWord(event.label)} of ${name}` }
    if (isUnsent && sink === 'transactional')
      return { sentence: `${name} waits for the statement of its effect in vain` }
    return { sentence: `the request is lost on its way to the sink, with the ${effectWord(event.label)} of ${name}` }
  },
}
