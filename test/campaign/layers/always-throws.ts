import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'always-throws',
  about: 'Answers no message.',
  create: () => ({
    async handle() {
      throw new Error('down')
    },
  }),
})
