/** Prints the stack of an error. */
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
