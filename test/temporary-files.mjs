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
  // Every Node that starts would read and parse them, which takes longer than the rest of its start. Only npm has a use for them.
  const { NODE_EXTRA_CA_CERTS } = process.env
  if (NODE_EXTRA_CA_CERTS !== undefined) process.env.ONCEPROOF_TESTS_CA_CERTS = NODE_EXTRA_CA_CERTS
  delete process.env.NODE_EXTRA_CA_CERTS
  return () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
