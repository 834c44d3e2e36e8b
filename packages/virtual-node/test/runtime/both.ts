import fs from 'node:fs'
import { expect } from 'vitest'
import { judgedByRealTime } from '../judged-by-real-time.ts'
import { Lab } from '../lab.ts'

/** A little program: it writes lines, and says when it is over. */
export type Program = (log: (line: string) => void, over: () => void) => void

/**
 * What the program writes in real Node, outside of every process; begun, as a turn is, from the
 * event loop.
 */
export function inRealNode(program: Program): Promise<string[]> {
  const lines: string[] = []
  return new Promise((resolve) => {
    fs.stat('.', () =>
      program(
        (line) => lines.push(line),
        () => resolve(lines),
      ),
    )
  })
}

/** What it writes in a virtual process. */
export async function inVirtualNode(program: Program): Promise<string[]> {
  const lines: string[] = []
  const lab = new Lab()
  let over = false
  lab.start(() =>
    program(
      (line) => lines.push(line),
      () => (over = true),
    ),
  )
  await lab.run()
  expect(lab.deaths).toEqual([])
  expect(over).toBe(true)
  return lines
}

/** Real Node is the judge of the virtual one. */
export async function expectAlike(program: Program): Promise<string[]> {
  return judgedByRealTime(await inVirtualNode(program), () => inRealNode(program))
}
