/** What every page has around its body: nothing is fetched, and a policy says so. */
import { heatStyle } from './heat.ts'
import { Html, html } from './html.ts'
import { pictureStyle } from './picture-style.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/** `drawing`: what draws the pictures in it, where it has any. */
export function pageOf(title: string, body: Html, drawing: string | null = null): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title} (Onceproof)</title>
<style>${new Html(style + heatStyle)}${drawing === null ? null : new Html(pictureStyle)}</style>
</head>
<body>
${body}
<script>${new Html(script)}</script>
${drawing === null ? null : html`<script>${new Html(drawing)}</script>\n`}</body>
</html>
`.text
}
