import { expect } from 'vitest'
import { temporaryFolder } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const empty = temporaryFolder()

/** Expects that exit code and one line without control characters. */
export async function expectRefusal(
  args: readonly string[],
  code: number,
  line: string | RegExp,
  cwd = empty,
): Promise<void> {
  const found = await onceproofHere(args, { cwd })
  const text = (found.stderr || found.stdout).trimEnd().replace(/^onceproof: /, '')
  expect(text).toMatch(line)
  expect(text).not.toMatch(/[\n\u001b]/)
  expect(found.code).toBe(code)
}
