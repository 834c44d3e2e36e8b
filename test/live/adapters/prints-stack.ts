/** It prints where an error was made. */
export default {
  id: 'prints-stack',
  async create() {
    const handle = async () => {
      console.error(new Error('look').stack)
      return { status: 'dead-letter', reason: 'look' }
    }
    return { handle, close: () => {} }
  },
}
