/** The system's own Chromium: nothing is downloaded. */
import { spawnSync } from 'node:child_process'

/** Its path; null where none is installed. */
export function systemChromium(): string | null {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    const { status, stdout } = spawnSync('which', [name], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
  return null
}
