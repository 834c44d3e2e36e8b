/**
 * The machine as a process sees it: the same on every real machine
 * (docs/how-it-works/what-a-process-sees.md).
 */

/** The folder of the adapter's package, as the process sees it. */
export const appFolder = '/app'

export const environment: Readonly<Record<string, string>> = {
  HOME: '/home/app',
  LANG: 'en_US.UTF-8',
  LOGNAME: 'app',
  NODE_ENV: 'production',
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  PWD: appFolder,
  SHELL: '/bin/sh',
  TZ: 'UTC',
  USER: 'app',
}

export const locale = 'en-US'
export const zone = 'UTC'

export const execPath = '/usr/local/bin/node'
export const argv: readonly string[] = [execPath, `${appFolder}/consumer.js`]

export const linuxRelease = '6.1.0'
/** The version of the C library. */
export const glibc = '2.36'

/** The id of the user and of the group. */
export const userId = 1000

const mib = 1024 * 1024

/** In bytes. The values are fixed: a run does not measure memory. */
export const memory = {
  rss: 64 * mib,
  heapTotal: 32 * mib,
  heapUsed: 16 * mib,
  external: 2 * mib,
  arrayBuffers: mib,
  free: 1024 * mib,
  total: 2048 * mib,
} as const

/** How long the machine has been up when a run begins, in seconds. */
export const upSeconds = 3 * 86_400

export const processors = 2
