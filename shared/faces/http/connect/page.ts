import { html } from './html.ts'
import type { Html } from './html.ts'

/** `root`: where the assets are. `script`: none where a page must not run any. */
export type Assets = { root: string; script?: Html }

/** A page for people who need not know the console: to connect an account, to sign in, to decide. */
export const renderPage = (title: string, body: Html, { root, script }: Assets): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${script}
        <link rel="stylesheet" href="${root}/connect/assets/page.css" />
        <link rel="icon" href="${root}/connect/assets/icon.svg" type="image/svg+xml" />
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `.html
