/** One violation as a person reads it: what broke, the story as a timeline, the command that replays it. */
import type { PairResult, ViolationResult } from '../../contract/results.ts'
import { counted, grouped } from '../figures.ts'
import { type Html, html } from './html.ts'
import { brokenWords, invariantWords } from './words.ts'

/** What a line of the story is about, for its mark on the timeline. */
function toneOf(text: string): 'fault' | 'healed' | 'effect' | 'step' {
  if (text.startsWith('fault: ')) return 'fault'
  if (text.startsWith('healed: ')) return 'healed'
  return text.startsWith('the sink applies ') ? 'effect' : 'step'
}

const timed = /^ *([\d.]+) ms {2}(.*)$/

function storyLine(line: string): Html {
  const [, time, text = ''] = timed.exec(line) ?? []
  if (time === undefined) return html`<li class="gap"><span class="what">${line.trim()}</span></li>`
  const tone = toneOf(text)
  return html`<li class="${tone}"><span class="time">${time} ms</span> <span class="what">${text}</span></li>`
}

/** The lines that carry a time (and gaps between them) are the timeline; the rest is what came of it. */
function story(lines: readonly string[]): Html {
  const last = lines.findLastIndex((line) => timed.test(line))
  const timeline = lines.slice(0, last + 1)
  const ending = lines.slice(last + 1)
  return html`${timeline.length > 0 ? html`<ol class="timeline">\n${timeline.map((line) => html`${storyLine(line)}\n`)}</ol>` : null}
<div class="ending">${ending.map((line) => html`<p>${line}</p>`)}</div>`
}

export const replayBlock = (command: string): Html =>
  html`<div class="replay"><pre tabindex="0" aria-label="Command that replays this run"><code>${command}</code></pre><button type="button" class="copy" hidden>Copy</button></div>`

export function counterexample(pair: PairResult, violation: ViolationResult, open: boolean): Html {
  const { invariant, kind, seed, run, faultCount, eventCount, replay } = violation
  const { runsViolated } = pair.invariants[invariant] ?? { runsViolated: 0 }
  const often = runsViolated > 0 ? `Broke in ${grouped(runsViolated)} of ${counted(pair.runs, 'run')}.` : ''
  return html`<details class="counterexample"${open ? html` open` : null}>
<summary><h3>${pair.implementation} under ${pair.scenario}: ${brokenWords[invariant]}</h3>
<span class="kind">${invariant}: ${kind}</span></summary>
<p class="demand">${invariantWords[invariant]} ${often}</p>
${story(violation.story)}
<p class="replay-label">Replay this run, event by event:</p>
${replayBlock(replay)}
<p class="small">Seed ${seed}, run ${run}, ${pair.sink} sink. Shrunk to ${counted(faultCount, 'fault')} and ${counted(eventCount, 'event')}.</p>
</details>`
}
