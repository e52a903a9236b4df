import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from '../tools/node_modules/playwright-core/index.d.ts'

export type { Browser, BrowserContext, Locator, Page } from '../tools/node_modules/playwright-core/index.d.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const driver = `${root}test/tools/node_modules/playwright-core`
const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where the browser is; undefined: this machine has none, and the suite says that it was skipped. */
export const chromium = existsSync(driver) ? candidates.find((path) => existsSync(path)) : undefined

/** Where a machine must have a browser, its absence is a failure and not a skip. */
export const requireBrowser = () => {
  if (chromium || process.env['TOOLYARD_BROWSER'] !== 'required') return
  throw new Error(
    'No Chromium, or test/tools is not installed: npm ci --prefix test/tools; apt-get install -y --no-install-recommends chromium',
  )
}

export const launch = async (): Promise<Browser> => {
  const playwright = createRequire(`${root}test/tools/package.json`)(
    'playwright-core',
  ) as typeof import('../tools/node_modules/playwright-core/index.d.ts')
  return playwright.chromium.launch({ executablePath: chromium! })
}

/** Pictures for docs/connecting.md are written only when asked for, so that a test run changes no file. */
export const picture = async (page: Page, name: string, isWanted: boolean) => {
  if (!isWanted) return
  // The window grows with the page: what stays in view while one scrolls would end in the middle of a longer picture.
  const before = page.viewportSize()!
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ ...before, height: Math.max(before.height, height) })
  await page.screenshot({ path: `${root}docs/pictures/${name}.png` })
  await page.setViewportSize(before)
}
