// The watchdog's thread, if the command line runs from its sources.
import { setTimeout } from 'node:timers/promises'

// Loading tsx takes 400 ms of CPU, and most commands that run from sources are short ones of tests.
await setTimeout(1_000)
const { register } = await import('tsx/esm/api')
register()
await import('./watchdog-task.ts')
