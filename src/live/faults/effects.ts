/** Faults of the sink, which is a service of the harness. */
import type { LiveFault } from './live-fault.ts'

export const slowEffect: LiveFault = {
  async strike(_target, fault, passing) {
    if (passing === null) return null
    const extraMs = Number(fault.extraMs)
    passing.slowMs += extraMs
    return { sentence: `the sink takes ${extraMs} ms longer over the effect of ${passing.process.name}` }
  },
}

export const effectFailsBefore: LiveFault = {
  async strike(_target, fault, passing) {
    if (passing === null) return null
    const { name } = passing.process
    if (fault.how === 'refuse') {
      passing.verdict = 'refuse'
      return { sentence: `the sink refuses the effect of ${name} for good` }
    }
    passing.verdict = fault.how === 'fail' ? 'fail' : 'drop'
    const what =
      fault.how === 'fail' ? 'the sink fails before it applies' : 'the request is lost on its way to the sink, with'
    return { sentence: `${what} the effect of ${name}` }
  },
}

export const effectFailsAfter: LiveFault = {
  async strike(_target, fault, passing) {
    if (passing === null) return null
    passing.verdict = fault.how === 'fail' ? 'fail' : 'drop'
    const what = fault.how === 'fail' ? 'then fails' : 'and its answer is lost'
    return { sentence: `the sink applies the effect of ${passing.process.name} ${what}` }
  },
}
