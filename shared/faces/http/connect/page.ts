import type { Brand } from '../../../api/resources/brand.ts'
import { html } from './html.ts'
import type { Html } from './html.ts'

/** `root`: where the assets are. `script`: none where a page must not run any. `locale`: absent: English. */
export type Assets = { root: string; brand?: Brand | undefined; script?: Html; locale?: string | undefined }

/** Whose page it is; the logo is in the style. */
const masthead = ({ name, logo }: Brand) =>
  html`<header class="brand"><span class="logo"></span> <span>${name ?? (logo ? '' : 'toolyard')}</span></header>`

/** A page for people who need not know the console: to connect an account, to sign in, to decide. */
export const renderPage = (title: string, body: Html, { root, brand = {}, script, locale = 'en' }: Assets): string =>
  html`<!doctype html>
    <html lang="${locale}">
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
        ${masthead(brand)}
        <main>${body}</main>
      </body>
    </html> `.html
