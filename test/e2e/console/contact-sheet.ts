/** Every page in light, dark and on a phone, side by side in one picture: for whoever changes the design. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from '../browser.ts'
import type { Console } from './setup.ts'

const wide = { width: 1280, height: 860 }
const phone = { width: 360, height: 780 }
const folder = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url))

/** `path`: what `open` of the view takes. */
export type SheetPage = { title: string; path: string; ready?: (page: Page) => Promise<unknown> }
type Shot = { title: string; light: Buffer; dark: Buffer; phone: Buffer }

const shoot = (page: Page) => page.screenshot({ type: 'jpeg', quality: 80 })

/** Shows a page in each view; the caller looks at what went wrong in it. */
export const shootViews = async (
  { page, open }: Pick<Console, 'page' | 'open'>,
  { title, path, ready }: SheetPage,
): Promise<Shot> => {
  await page.setViewportSize(wide)
  await open(path)
  await page.waitForFunction(() => document.querySelector('.loading') === null)
  await ready?.(page)
  const light = await shoot(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await shoot(page)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(phone)
  const narrow = await shoot(page)
  return { title, light, dark, phone: narrow }
}

const image = (bytes: Buffer, width: number) =>
  `<img width="${width}" src="data:image/jpeg;base64,${bytes.toString('base64')}">`

/** Writes the sheet: a row a page. */
export const writeSheet = async ({ context }: Console, shots: Shot[]) => {
  const page = await context.newPage()
  await page.setViewportSize({ width: 1500, height: 1000 })
  const rows = shots.map(
    ({ title, light, dark, phone: narrow }) =>
      `<figure><figcaption>${title}</figcaption>${image(light, 640)}${image(dark, 640)}${image(narrow, 180)}</figure>`,
  )
  await page.setContent(`<style>
    body { margin: 8px; font: 14px sans-serif; background: #8a8d98 }
    figure { margin: 0 0 8px; display: flex; flex-wrap: wrap; gap: 8px; align-items: start }
    figcaption { width: 100%; color: #fff }
  </style>${rows.join('')}`)
  writeFileSync(`${folder}contact-sheet.jpg`, await page.screenshot({ type: 'jpeg', quality: 60, fullPage: true }))
  await page.close()
}
