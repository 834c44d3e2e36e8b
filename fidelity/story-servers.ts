/** The real servers of one story: processes that nothing but the story ends. */
import type { ChildProcess } from 'node:child_process'
import { ServerGone } from 'test-servers'

/**
 * What ends a server after its story. No Redis has a handler for it, and nothing else sends it: a server that ended by itself just
 * before, and whose end is not reported yet, is told from one that this ended.
 * Source: `setupSignalHandlers` in server.c, `watchdogSignalHandler` (SIGALRM) in debug.c, `ThreadsManager_init` (SIGUSR2, in newer ones).
 */
const endOfStory = 'SIGVTALRM'

export class StoryServers {
  readonly #killed = new WeakSet<ChildProcess>()
  #gone: ServerGone | null = null

  /** From its start on. `name`: as the story calls it. */
  watch(name: string, child: ChildProcess): void {
    child.once('exit', (code, signal) => {
      if (this.#killed.has(child) || signal === endOfStory) return
      this.#gone ??= new ServerGone(`the real server ${name} of a story ended by itself (${signal ?? `exit ${code}`})`)
    })
  }

  /** As its story does. Resolves when it has ended. */
  async kill(child: ChildProcess): Promise<void> {
    this.#killed.add(child)
    await ended(child, () => child.kill('SIGKILL'))
  }

  /** When its story is over, also where it stands still. Resolves when it has ended. */
  async end(child: ChildProcess): Promise<void> {
    await ended(child, () => {
      child.kill(endOfStory)
      child.kill('SIGCONT')
    })
  }

  /** What the story of such a server came to says nothing about the simulated one. @throws ServerGone */
  checkNoneIsGone(): void {
    if (this.#gone !== null) throw this.#gone
  }
}

async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  end()
  await exit
}
