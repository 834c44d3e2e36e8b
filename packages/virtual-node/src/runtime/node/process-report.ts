/** `process.report`, by which packages recognize the C library. A process cannot write reports. */
import { probed } from './probes.ts'
import { refuse } from './refuse.ts'
import { replaceValue } from './replace.ts'
import { glibc, linuxRelease } from './sees.ts'

const header = () => ({
  event: 'JavaScript API',
  trigger: 'GetReport',
  filename: null,
  threadId: 0,
  nodejsVersion: process.version,
  glibcVersionRuntime: glibc,
  arch: 'x64',
  platform: 'linux',
  osName: 'Linux',
  osRelease: linuxRelease,
})

const processReport = () => ({
  writeReport: () => refuse('process.report.writeReport'),
  getReport: () => ({ header: header(), javascriptHeap: {}, sharedObjects: [], environmentVariables: {} }),
  directory: '',
  filename: '',
  compact: false,
  excludeNetwork: false,
  signal: 'SIGUSR2',
  reportOnFatalError: false,
  reportOnSignal: false,
  reportOnUncaughtException: false,
})

export function installProcessReport(): void {
  replaceValue(process, 'report', ({ own }) => {
    probed('process.report')
    return (own.report ??= processReport())
  })
}
