import { defineImplementation } from '../../src/contract/implementation.ts'
import { powertools } from './parts/powertools.ts'

export default defineImplementation({
  id: 'powertools',
  about: "A function that powertools' makeIdempotent wraps, without a Lambda context, its records in Redis.",
  shapes: ['single'],
  create: (context) => powertools(context),
})
