/**
 * Tests, and the programs that they start, write temporary files into one folder, which this
 * process removes when it ends. A worker cannot: Vitest ends it by SIGTERM, with no `exit` event.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const prefix = 'onceproof-tests-'

/** Vitest calls it for each project; the first call makes the folder. */
export function setup() {
  if (path.basename(os.tmpdir()).startsWith(prefix)) return
  const folder = makeFolder()
  process.env.TMPDIR = folder
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  // Only npm needs these certificates, and every Node takes 40 ms to parse them when it starts.
  const { NODE_EXTRA_CA_CERTS } = process.env
  if (NODE_EXTRA_CA_CERTS !== undefined) process.env.ONCEPROOF_TESTS_CA_CERTS = NODE_EXTRA_CA_CERTS
  delete process.env.NODE_EXTRA_CA_CERTS
}

function makeFolder() {
  try {
    return fs.mkdtempSync(path.join(os.tmpdir(), prefix))
  } catch (error) {
    return endRun(`tests cannot write into ${os.tmpdir()} (${error.code}): set TMPDIR to a folder for temporary files`)
  }
}

/** Ends Vitest's main process with one line, because this machine cannot run the tests. */
export function endRun(line) {
  process.stderr.write(`${line}\n`)
  process.exit(2)
}
