/**
 * Files by which packages recognize the machine: a container, WSL, the C library. A simulated
 * process finds these on every machine. Null: missing.
 */
import { glibc, linuxRelease } from './sees.ts'

export const machineFiles: ReadonlyMap<string, string | null> = new Map([
  ['/.dockerenv', null],
  ['/etc/alpine-release', null],
  ['/etc/wsl.conf', null],
  ['/proc/self/cgroup', '0::/\n'],
  ['/proc/self/mountinfo', '22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw\n'],
  ['/proc/sys/fs/binfmt_misc/WSLInterop', null],
  ['/proc/version', `Linux version ${linuxRelease} #1 SMP\n`],
  ['/run/.containerenv', null],
  ['/run/WSL', null],
  ['/usr/bin/ldd', `#! /bin/bash\n# GNU C Library\necho 'ldd (GNU libc) ${glibc}'\n`],
])

/** A file that no machine has. */
export const nowhere = '/proc/none'
