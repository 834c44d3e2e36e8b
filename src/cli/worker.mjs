// The entry point of a worker thread if the command line runs from its sources.
import { register } from 'tsx/esm/api'

register()
export const { takeTask } = await import('./worker-task.ts')
