/**
 * All that the tests and what they start write into the system's folder for temporary files is in one folder of it, and gone
 * when they have ended. A test's own process could not see to it: Vitest ends it by SIGTERM, and its `exit` is never told.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const prefix = 'onceproof-tests-'

/** For each of Vitest's projects; the first one makes the folder. Answers what removes it. */
export function setup() {
  if (path.basename(os.tmpdir()).startsWith(prefix)) return
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix))
  process.env.TMPDIR = folder
  return () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
