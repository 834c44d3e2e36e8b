/** Vitest's global setup of the tiers with servers: looks programs up once, for `needs`. */
import type { TestProject } from 'vitest/node'
import { endRun } from '../temporary-files.ts'
import { findPrograms, requireLoopback } from './programs.ts'

export async function setup(project: TestProject): Promise<void> {
  await requireLoopback().catch((error: Error) => endRun(error.message))
  project.provide('programs', await findPrograms())
}
