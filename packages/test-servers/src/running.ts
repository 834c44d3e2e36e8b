/** Kills each running server. However this process ends, its servers end with it. */
export const running = new Set<() => void>()

process.once('exit', () => {
  for (const kill of running) kill()
})
