import fs from 'node:fs'
import { expect } from 'vitest'
import { judgedByRealTime } from '../judged-by-real-time.ts'
import { Lab } from '../lab.ts'

/** A small program. It logs lines, and calls `over` at its end. */
export type Program = (log: (line: string) => void, over: () => void) => void

/**
 * Returns the lines that the program logs in real Node, outside every process. The program starts
 * in a callback of the event loop, like a turn.
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

/** Returns the lines that the program logs in a virtual process. */
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

/** Real Node is the reference for the virtual one. */
export async function expectAlike(program: Program): Promise<string[]> {
  return judgedByRealTime(await inVirtualNode(program), () => inRealNode(program))
}
