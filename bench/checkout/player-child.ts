/**
 * A child that plays runs of one checkout and reports their costs. Arguments: the checkout's
 * folder, and the compiled files for its sources, if there are any.
 */
import { answerParent } from '../children.ts'
import { megabytes } from '../megabytes.ts'
import { openCheckout } from './checkout.ts'
import { cpuMsOf } from './cpu-time.ts'
import type { Answers, Question } from './player.ts'
import { publishOnly, spacedMessages } from './spaced-messages.ts'

const [, , folder, files] = process.argv
const opened = openCheckout(folder!, files === undefined ? {} : JSON.parse(files))
// A rejection is reported by the first answer.
opened.catch(() => {})

type Work = { [K in Question['do']]: (question: Extract<Question, { do: K }>) => Promise<Answers[K]> }

const work: Work = {
  scenarios: async () => (await opened).scenarios,
  draw: async ({ runs }) => {
    const checkout = await opened
    return runs.map(({ scenario, run }) => ({ scenario, drawn: checkout.draw(scenario, run) }))
  },
  play: async ({ runs }) => {
    const checkout = await opened
    return cpuMsOf(async () => {
      for (const { scenario, drawn } of runs) await checkout.play(scenario, drawn)
    })
  },
  grow: async ({ scenario, from, to }) => {
    const checkout = await opened
    for (let run = from; run < to; run++)
      checkout.judge(scenario, (await checkout.play(scenario, checkout.draw(scenario, run))).history)
    globalThis.gc!()
    return megabytes(process.memoryUsage().heapUsed)
  },
  size: async ({ scenario, messages, consumers, times }) => {
    const checkout = await opened
    const drawn = { plan: spacedMessages({ messages, consumers }), choiceSeed: 1 }
    const { history } = await checkout.play(scenario, drawn)
    const published = { plan: publishOnly({ messages: 10 * messages }), choiceSeed: 1 }
    const each = async (count: number, some: () => unknown) => {
      const { cpuMs } = await cpuMsOf(async () => {
        for (let time = 0; time < count; time++) await some()
      })
      return cpuMs / count
    }
    return {
      runMs: await each(times, () => checkout.play(scenario, drawn)),
      // Judging is fast, so it is repeated more often.
      judgeMs: await each(10 * times, () => checkout.judge(scenario, history)),
      publishMs: await each(times, () => checkout.play(scenario, published)),
    }
  },
}

answerParent(
  (question: Question) => (work[question.do] as (question: Question) => Promise<unknown>)(question),
  async () => {},
)
