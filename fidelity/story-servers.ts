/** The real servers of one story: processes that nothing but the story ends. */
import type { ChildProcess } from 'node:child_process'
import { ServerGone } from '../src/fidelity/server-gone.ts'

export class StoryServers {
  readonly #killed = new WeakSet<ChildProcess>()
  #gone: ServerGone | null = null

  /** From its start on. `name`: as the story calls it. */
  watch(name: string, child: ChildProcess): void {
    child.once('exit', (code, signal) => {
      if (this.#killed.has(child)) return
      this.#gone ??= new ServerGone(`the real server ${name} of a story ended by itself (${signal ?? `exit ${code}`})`)
    })
  }

  /** Resolves when it has ended. */
  async kill(child: ChildProcess): Promise<void> {
    this.#killed.add(child)
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  /** What the story of such a server came to says nothing about the simulated one. @throws ServerGone */
  checkNoneIsGone(): void {
    if (this.#gone !== null) throw this.#gone
  }
}
