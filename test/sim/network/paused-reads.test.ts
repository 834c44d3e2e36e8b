/** What a process reads of much that came while it was stopped: real ones, stopped by SIGSTOP, are the judge. */
import { describe, expect, it } from 'vitest'
import { expectAlike, fin, rst, type Step, sends } from './stopped-process.ts'

const much = (length: number) => sends('x'.repeat(length))

describe('a process that was stopped', () => {
  it.concurrent.each<[string, Step[]]>([
    ['as much as one read holds, and FIN', [much(65_536), fin()]],
    ['as much as one read holds, and RST', [much(65_536), rst()]],
    ['more than one read holds, and FIN', [much(70_000), fin()]],
    ['more than one read holds, and RST', [much(70_000), rst()]],
    ['more than one read holds, in two parts', [much(40_000), much(30_000), fin()]],
  ])('reads 65,536 bytes at a time, all of them in one round: %s', async (_what, steps) => {
    expect(await expectAlike('reads much', { steps })).toContain('data of 65536 bytes')
  })
})
