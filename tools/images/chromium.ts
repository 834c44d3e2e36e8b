/** Finds an installed Chromium; downloads nothing. */
import { spawnSync } from 'node:child_process'

/** The path of Chromium; null if none is installed. */
export function systemChromium(): string | null {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    const { status, stdout } = spawnSync('which', [name], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
  return null
}
