/**
 * Prints what code observes of its environment in real Node and in a simulated process, as JSON.
 */
import dns from 'node:dns'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import perfHooks from 'node:perf_hooks'
import tty from 'node:tty'
import { isMainThread, threadId } from 'node:worker_threads'
import { Lab } from '../../lab.ts'

const moments = [
  new Date(0).toISOString(),
  '2026-03-29T02:30:00',
  '2026-03-29 02:30',
  'Mar 29, 2026 02:30:15',
  '2026-3-9',
  '2026-03-09',
  '2026-03-29T02:30:00+02:00',
  'Sun, 29 Mar 2026 02:30:00 GMT',
  'Sun Mar 29 2026 02:30:00 GMT+0900 (JST)',
  '29 Mar 2026 02:30 EST',
  '2026-03-29T24:00:00',
  'nonsense',
]

function dates(): unknown {
  return moments.map((text) => {
    const date = new Date(text)
    const local = [
      date.getFullYear(),
      date.getMonth(),
      date.getDate(),
      date.getDay(),
      date.getHours(),
      date.getMinutes(),
    ]
    const texts = Number.isNaN(date.valueOf()) ? [] : [date.toLocaleString(), date.toLocaleDateString('de')]
    return [text, Date.parse(text), ...local, date.getTimezoneOffset(), String(date), date.toDateString(), ...texts]
  })
}

function setters(): unknown {
  const date = new Date(2026, 2, 29, 2, 30)
  date.setHours(3, 15)
  date.setDate(31)
  return [date.valueOf(), new Date(99, 0).valueOf(), new Date(2026, 0, undefined as never).valueOf()]
}

function locales(): unknown {
  const words = ['z', 'ä', 'a', 'Z', 'ö', 'o', 'I', 'ı']
  return {
    zone: Intl.DateTimeFormat().resolvedOptions(),
    chosen: new Intl.DateTimeFormat('de', { timeZone: 'Asia/Tokyo', dateStyle: 'full' }).format(0),
    unknown: new Intl.NumberFormat('xx').resolvedOptions().locale,
    all: [
      new Intl.Collator(),
      new Intl.ListFormat(),
      new Intl.NumberFormat(),
      new Intl.RelativeTimeFormat(),
      new Intl.Segmenter(),
      new Intl.DisplayNames(undefined, { type: 'region' }),
    ].map((made) => made.resolvedOptions().locale),
    // The plural rules of en-US are those of `en`.
    plural: new Intl.PluralRules().select(1),
    isOne: new Intl.NumberFormat() instanceof Intl.NumberFormat,
    sorted: [...words].sort((a, b) => a.localeCompare(b)),
    swedish: [...words].sort((a, b) => a.localeCompare(b, 'sv')),
    upper: words.map((word) => word.toLocaleUpperCase()),
    numbers: [
      (1234567.891).toLocaleString(),
      12345678901234567890n.toLocaleString(),
      [1234.5, new Date(0)].toLocaleString(),
    ],
    german: (1234567.891).toLocaleString('de'),
  }
}

function present(): unknown {
  const format = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'full' })
  return [format.format(), format.formatToParts().length, new Date().toString(), Date(), new Date().getHours()]
}

function machine(): unknown {
  return {
    os: [os.cpus(), os.networkInterfaces(), os.userInfo(), os.loadavg(), os.freemem(), os.totalmem(), os.uptime()],
    names: [
      os.hostname(),
      os.homedir(),
      os.tmpdir(),
      os.platform(),
      os.arch(),
      os.release(),
      os.version(),
      os.machine(),
    ],
    parallel: os.availableParallelism(),
    thread: [isMainThread, threadId, tty.isatty(1), process.stdout.isTTY],
    loop: [performance.eventLoopUtilization(), perfHooks.performance.now(), performance.timeOrigin],
    servers: [dns.getServers(), dns.promises.getServers(), new dns.Resolver().getServers()],
  }
}

function itself(): unknown {
  const { env, argv, argv0, execArgv, execPath, ppid, pid, title, platform, arch, exitCode, debugPort } = process
  return {
    ...{ env: { ...env }, argv, argv0, execArgv, execPath, ppid, pid, title, platform, arch, exitCode, debugPort },
    channel: [process.channel, process.connected, process.send],
    where: [process.cwd(), path.resolve('a'), fs.realpathSync('.'), process.umask()],
    ids: [process.getuid?.(), process.getgid?.(), process.getgroups?.()],
    usage: [process.memoryUsage(), process.memoryUsage.rss(), process.cpuUsage(), process.resourceUsage()],
    time: [process.uptime(), process.hrtime(), String(process.hrtime.bigint())],
    files: [fs.statSync('package.json', { throwIfNoEntry: false }), fs.existsSync('scenarios'), fs.existsSync('none')],
  }
}

export const lookAround = (): string => {
  const seen = { dates: dates(), setters: setters(), locales: locales(), present: present(), machine: machine() }
  return JSON.stringify({ ...seen, itself: itself() }, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

/** The observations of a process, and the reported problems. */
export async function fromAProcess(): Promise<{ seen: string; reported: string[] }> {
  const lab = new Lab()
  let seen = ''
  lab.start(() => setTimeout(() => (seen = lookAround()), 1500))
  await lab.run()
  return { seen, reported: [...lab.unsupportedThings, ...lab.deaths] }
}

if (process.argv[1] === import.meta.filename) {
  const { seen, reported } = await fromAProcess()
  process.stdout.write(JSON.stringify({ seen, reported, real: lookAround() }))
}
