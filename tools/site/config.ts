/**
 * The site of the project's pages, which VitePress builds from the Markdown that GitHub shows.
 * `siteOf` returns the configuration for a project folder, so that tests can build other folders in
 * the same way. A dead link fails the build. `pnpm vitepress preview tools/site` serves the site.
 */
import path from 'node:path'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../../src/contract/results/heading-anchor.ts'
import { Links } from './links.ts'
import { framed, playPictures } from './pictures.ts'
import { sidebarOf } from './sidebar.ts'

export function siteOf(project: string) {
  const links = new Links(project)
  return defineConfig({
    title: 'Onceproof',
    description: 'Deterministic simulation of idempotency layers',
    srcDir: project,
    // The pages are docs and three files of the project's folder.
    srcExclude: ['!(docs)/**/*', 'CHANGELOG.md'],
    rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
    outDir: path.join(project, 'dist/site'),
    cacheDir: path.join(project, 'node_modules/.cache/vitepress'),
    metaChunk: true,
    // The theme follows the reader's system, as pictures and reports do. A switch for the theme
    // would not change the pictures and reports.
    appearance: 'force-auto',
    markdown: {
      // GitHub has no `{attributes}` in text.
      attrs: { disable: true },
      anchor: { slugify: anchorOf },
      config(markdown) {
        links.follow(markdown)
        framed(markdown)
      },
    },
    themeConfig: {
      search: { provider: 'local' },
      sidebar: sidebarOf(project),
      outline: [2, 3],
      externalLinkIcon: true,
    },
    async buildEnd({ outDir }) {
      links.copySources(outDir)
      await playPictures(project, outDir)
    },
  })
}
