/**
 * Measures how long the author of a broken layer waits for the first violation, for the first
 * shrunk story, and for the end of the command.
 */
import fs from 'node:fs'
import path from 'node:path'
import { runCommand, withReports } from './run-command.ts'
import { endsShrunkStory, isProgress, printsViolation } from './what-it-prints.ts'

export interface FirstAnswer {
  readonly layer: string
  /** Seconds from the command's start; null if no violation was printed. */
  readonly violationSeconds: number | null
  readonly storySeconds: number | null
  readonly wholeSeconds: number
  readonly cpuSeconds: number
  /** The number of printed lines, without progress. */
  readonly lines: number
  readonly exitCode: number
  readonly missed: readonly Aim[]
}

/** The aims, in seconds and in lines. */
export const aims = { violationSeconds: 5, storySeconds: 10, wholeSeconds: 30, lines: 60 } as const
export type Aim = keyof typeof aims

export interface FirstAnswerPlan {
  readonly folder: string
  readonly quick: boolean
  /** Measures only layers whose id contains this text. */
  readonly only: string
  readonly print: (line: string) => void
}

export async function measureFirstAnswers({ folder, quick, only, print }: FirstAnswerPlan): Promise<FirstAnswer[]> {
  const layers = articleLayers(folder).filter((id) => id.includes(only))
  const answers: FirstAnswer[] = []
  for (const layer of quick ? layers.slice(0, 2) : layers) {
    print(layer)
    answers.push(await withReports((reports) => measureOne(folder, layer, quick, reports)))
  }
  return answers
}

async function measureOne(folder: string, layer: string, quick: boolean, reports: string): Promise<FirstAnswer> {
  const watch = new Watch()
  const args = ['run', '--impl', layer, '--reports', reports]
  const fewer = quick ? ['--scenario', 'key-reuse', '--scenario', 'late-crash', '--runs', '20'] : []
  const { wallMs, cpuMs, exitCode } = await runCommand({ folder, args: [...args, ...fewer], line: watch.line })
  return answerOf(layer, watch, { wallMs, cpuMs, exitCode })
}

/** Records the time of the first violation and of the first story. */
export class Watch {
  violationMs: number | null = null
  storyMs: number | null = null
  lines = 0

  readonly line = (text: string, atMs: number): void => {
    if (isProgress(text)) return
    this.lines++
    if (printsViolation(text)) this.violationMs ??= atMs
    if (endsShrunkStory(text)) this.storyMs ??= atMs
  }
}

export function answerOf(
  layer: string,
  { violationMs, storyMs, lines }: Watch,
  { wallMs, cpuMs, exitCode }: { wallMs: number; cpuMs: number; exitCode: number },
): FirstAnswer {
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1000)
  const found = {
    violationSeconds: seconds(violationMs),
    storySeconds: seconds(storyMs),
    wholeSeconds: wallMs / 1000,
    lines,
  }
  // A layer that holds prints no violation and no story, so the aims for these do not apply.
  const asked = exitCode === 0 ? (['wholeSeconds', 'lines'] as const) : (Object.keys(aims) as Aim[])
  const missed = asked.filter((aim) => (found[aim] ?? Number.POSITIVE_INFINITY) > aims[aim])
  return { layer, ...found, cpuSeconds: cpuMs / 1000, exitCode, missed }
}

/** The ids of the articles' patterns. */
function articleLayers(folder: string): string[] {
  const names = fs.readdirSync(path.join(folder, 'implementations', 'articles'))
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.slice(0, -3))
    .sort()
}
