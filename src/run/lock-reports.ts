import { type LockNews, type LockReports, lockNews } from '../contract/api/implementation.ts'

/** The functions with which a layer reports changes of its locks. */
export function lockReports(report: (key: string, what: LockNews) => void): LockReports {
  const reports = lockNews.map((what) => [what, (key: string) => report(String(key), what)])
  return Object.fromEntries(reports) as LockReports
}
