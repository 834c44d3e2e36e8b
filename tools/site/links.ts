/**
 * Resolves links for the site as GitHub does. A link to a source file leads to a copy of its text,
 * so that the site is complete without the repository. VitePress finds dead links between pages.
 * This class throws for a link to a missing file or folder.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

export class Links {
  /** Paths of linked files and folders that are not pages. They are copied to the site. */
  private readonly sources = new Set<string>()

  constructor(private readonly project: string) {}

  follow(markdown: MarkdownRenderer): void {
    const render = markdown.renderer.rules.link_open!
    markdown.renderer.rules.link_open = (tokens, at, options, env: { realPath?: string; path: string }, self) => {
      const href = tokens[at]!.attrGet('href')!
      if (!/^([a-z]+:|#|$)/.test(href)) tokens[at]!.attrSet('href', this.onSite(href, env.realPath ?? env.path))
      return render(tokens, at, options, env, self)
    }
    // Vue would interpret `images/a.png` as the name of a package.
    markdown.renderer.rules.html_block = (tokens, at) =>
      tokens[at]!.content.replace(/\b(src|srcset)="(?=\w)(?!https?:)/g, '$1="./')
  }

  /**
   * The link of the site for a relative link of a page.
   * @throws Error if its target is missing
   */
  private onSite(href: string, page: string): string {
    const [, to = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href)!
    const target = path.resolve(path.dirname(page), decodeURI(to))
    const name = path.relative(this.project, target)
    if (!fs.existsSync(target)) throw new Error(`${path.relative(this.project, page)}: dead link ${href}`)
    if (name.endsWith('.md')) return href.replace(/README\.md/, 'index.md')
    const [first] = fs.statSync(target).isDirectory()
      ? fs.readdirSync(target).filter((file) => file.endsWith('.md'))
      : []
    // A link to a folder of pages leads to its first page. The sidebar shows the other pages.
    if (first !== undefined) return `${href.replace(/\/?$/, '/')}${first.replace('README', 'index')}`
    if (name === 'docs') return '/'
    this.sources.add(name)
    return `${sourceUrl(name)}${anchor}`
  }

  /** Copies all linked sources as plain text, which every browser shows. */
  copySources(folder: string): void {
    for (const name of this.sources) {
      const source = path.join(this.project, name)
      const text = fs.statSync(source).isDirectory()
        ? `${fs.readdirSync(source).join('\n')}\n`
        : fs.readFileSync(source)
      const copy = path.join(folder, sourceUrl(name))
      fs.mkdirSync(path.dirname(copy), { recursive: true })
      fs.writeFileSync(copy, text)
    }
  }
}

const sourceUrl = (name: string): string => `/source/${name}.txt`
