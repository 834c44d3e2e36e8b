/** Results of a layer with pictures of its findings, for viewing them in a browser. */
import type { Results } from '../../../src/contract/results/results.ts'
import type { Picture, Timeline } from '../../../src/contract/results/timeline.ts'
import { reportStory } from '../../../src/report/story.ts'
import { drawPassing, drawViolation } from '../../../src/report/timeline/timeline-of.ts'
import { broken, finding, results } from '../made-up-results.ts'
import { lockedRun, runTraceOf, violationIn } from '../timeline/made-up-run.ts'

export const layer = '000-lua-acquire'

export function brokenTimeline(): Timeline {
  const history = lockedRun()
  const violation = violationIn(history)
  return drawViolation({ history, runTrace: runTraceOf(history) }, violation, reportStory(history, violation))
}

function heldTimeline(): Timeline {
  const history = lockedRun(false)
  return drawPassing({ history, runTrace: runTraceOf(history) }, 'k1')
}

export const pictureOf = (id: string, timeline = brokenTimeline(), nearestPassing = false): Picture => ({
  implementation: layer,
  sink: 'plain',
  finding: id,
  timeline,
  ...(nearestPassing
    ? { nearestPassing: { what: 'without the pause', replay: 'pnpm sim replay op2_x', timeline: heldTimeline() } }
    : {}),
})

/** Two findings. The first has a nearest passing run. */
export function pictured(first: Picture = pictureOf('F1', brokenTimeline(), true)): {
  results: Results
  pictures: Picture[]
} {
  const history = lockedRun()
  const story = reportStory(history, violationIn(history))
  const cause = { ...finding('F2').cause, kind: 'zombie' }
  const findings = [finding('F1', { story }), finding('F2', { story, cause })]
  return {
    results: results({ pairs: [broken({ implementation: layer, violations: [] })], findings, exitCode: 1 }),
    pictures: [first, pictureOf('F2')],
  }
}

/** Results of `layers` layers, each with a finding in every one of its pairs. */
export function manyLayers(layers: number, scenarios: number): Results {
  const names = Array.from({ length: layers }, (_, at) => `layer-${at}`)
  const played = Array.from({ length: scenarios }, (_, at) => `scenario-${at}`)
  const pairs = names.flatMap((implementation) =>
    played.map((scenario) => broken({ implementation, scenario, violations: [] })),
  )
  const findings = names.map((implementation) => finding('F1', { implementation, scenario: played[0]! }))
  return results({ pairs, findings, exitCode: 1 })
}

/** The same run with `count` events, most of them outside stories. */
export function longTimeline(count: number): Timeline {
  const timeline = brokenTimeline()
  const { events, messages } = timeline
  const last = events.at(-1)!
  const more = Array.from({ length: count - events.length }, (_, at) => {
    const text = `redis executes GET idempotency:v1:order-${at} for consumer-1: nil`
    return {
      seq: events.length + at,
      atUs: last.atUs + at * 700,
      tone: 'step',
      lane: 3,
      text,
      command: text,
      reply: 'nil',
    } as const
  })
  const sent = more.map(({ seq, atUs }) => {
    return { kind: 'request', from: 1, to: 3, sentUs: atUs - 300, arrivedUs: atUs, seq, text: 'GET' } as const
  })
  return { ...timeline, events: [...events, ...more], messages: [...messages, ...sent], endUs: more.at(-1)!.atUs }
}
