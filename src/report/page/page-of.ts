/** What every page has around its body: nothing is fetched, and a policy says so. */
import { heatStyle } from './heat.ts'
import { Html, html } from './html.ts'
import { script } from './script.ts'
import { style } from './style.ts'

export function pageOf(title: string, body: Html): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title} (Onceproof)</title>
<style>${new Html(style + heatStyle)}</style>
</head>
<body>
${body}
<script>${new Html(script)}</script>
</body>
</html>
`.text
}
