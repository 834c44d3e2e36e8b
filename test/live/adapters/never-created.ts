/** The second consumer never becomes ready. */
export default {
  id: 'never-created',
  async create({ instanceId }: { readonly instanceId: string }) {
    if (instanceId === 'consumer-2') await new Promise(() => {})
    return { handle: async () => ({ status: 'retry' }), close: () => {} }
  },
}
