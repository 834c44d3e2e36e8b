import fs from 'node:fs'
import path from 'node:path'
import type { DefaultTheme } from 'vitepress'

/** The folders of docs, in the order of the sidebar. */
const sections = {
  start: 'Start',
  guide: 'Guide',
  reference: 'Reference',
  'how-it-works': 'How it works',
  findings: 'Findings',
}
const titles: Readonly<Record<string, string>> = { decisions: 'Decisions', api: 'API' }

/**
 * The sidebar: one group per folder of docs. The text of an item is the first heading of its page.
 */
export function sidebarOf(project: string): DefaultTheme.SidebarItem[] {
  const top = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map((page) => itemOf(project, page))
  const groups = Object.entries(sections).map(([folder, text]) => ({
    text,
    collapsed: false,
    items: itemsOf(project, `docs/${folder}`),
  }))
  return [...top, ...groups]
}

/** The items of a folder: first its README, then its other pages by title, then its folders. */
function itemsOf(project: string, folder: string): DefaultTheme.SidebarItem[] {
  const entries = fs.readdirSync(path.join(project, folder), { withFileTypes: true })
  const pages = entries.filter(({ name }) => name.endsWith('.md')).map(({ name }) => `${folder}/${name}`)
  const first = (page: string) => (page.endsWith('/README.md') ? 0 : 1)
  const items = pages
    .sort((a, b) => first(a) - first(b) || a.localeCompare(b, 'en'))
    .map((page) => itemOf(project, page))
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const groups = folders.sort().map((name) => ({
    text: titles[name] ?? name,
    collapsed: true,
    items: itemsOf(project, `${folder}/${name}`),
  }))
  return [...items, ...groups]
}

function itemOf(project: string, page: string): DefaultTheme.SidebarItem {
  const [, heading = page] = /^# (.*)$/m.exec(fs.readFileSync(path.join(project, page), 'utf8')) ?? []
  return { text: heading.replaceAll('`', ''), link: `/${page.replace(/(README)?\.md$/, '')}` }
}
