/** Functions that each kill a running server. They are called when this process exits. */
export const running = new Set<() => void>()

process.once('exit', () => {
  for (const kill of running) kill()
})
