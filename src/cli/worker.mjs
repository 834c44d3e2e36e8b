// A worker thread's way in where the command line runs from its sources.
import { register } from 'tsx/esm/api'

register()
export const { takeTask } = await import('./worker-task.ts')
