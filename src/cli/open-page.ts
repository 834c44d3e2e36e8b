import { spawn } from 'node:child_process'

/** Shows a page in the user's browser; quietly does nothing where there is none. */
export function openPage(file: string): void {
  const [command, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform as string] ?? [
    'xdg-open',
  ]
  const child = spawn(command!, [...args, file], { detached: true, stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
}
