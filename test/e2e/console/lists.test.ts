/** Stored lists of people and companies: the overview, making, rows, jobs, deleting. */
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDataSet } from '../../../shared/sandbox/people/data-set.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { shootViews } from './contact-sheet.ts'
import { launch, lookAtAllViews, openConsole, openServer, sidewaysAt360 } from './setup.ts'
import type { Console, Server } from './setup.ts'

const people = createDataSet().people.filter(
  ({ knownTo, suppressed, workEmail }) => knownTo.includes('contact') && !suppressed && workEmail,
)
const day = 86_400_000
/** A folder for pictures of the pages, for whoever changes the design. */
const pictures = process.env['TOOLYARD_PICTURES_IN']

let server: Server
let browser: Browser
let view: Console

const photograph = async (title: string, path: string) => {
  if (pictures === undefined) return
  const { light, dark, phone } = await shootViews(view, { title, path })
  for (const [name, bytes] of Object.entries({ light, dark, phone }))
    writeFileSync(`${pictures}/${title}-${name}.jpg`, bytes)
  await view.page.setViewportSize({ width: 1280, height: 900 })
}
const button = (name: string) => view.page.getByRole('button', { name, exact: true })
const makeFrom = (label: string) => view.page.getByLabel('Made from').selectOption({ label })
const heading = (name: string) => view.page.getByRole('heading', { level: 1, name, exact: true })

describe.skipIf(chromium === undefined)('stored lists', () => {
  beforeAll(async () => {
    server = await openServer({ runContentsMs: day })
    browser = await launch()
    view = await openConsole(browser, server)
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
  })

  it('says what a list is when there is none, and leads to the first', async () => {
    const { page, open } = view
    await open('')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Lists' }).click()
    await page.getByRole('heading', { name: 'No lists yet' }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await photograph('lists-empty', 'lists')
    await page.getByRole('link', { name: 'Store a list' }).first().click()
    await heading('Store a list').waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await photograph('lists-new', 'lists/new')
  })

  it('stores pasted rows by keyboard alone, and shows them', async () => {
    const { page, open } = view
    await open('lists/new')
    await page.getByLabel('Name', { exact: true }).focus()
    await page.keyboard.type('Leads')
    await page.getByText('Or paste rows from a spreadsheet').focus()
    await page.keyboard.press('Enter')
    const rows = people.slice(0, 60).map(({ firstName, workEmail }) => `${firstName}\t${workEmail}`)
    await page.getByLabel('Rows', { exact: true }).fill(`Name\tEmail\n${rows.join('\n')}\n`)
    await page.getByRole('region', { name: 'The first rows of the list' }).waitFor()
    await button('Store the list').focus()
    await page.keyboard.press('Enter')
    await heading('Leads').waitFor()
    const table = page.getByRole('region', { name: 'Rows' }).locator('tbody tr')
    await expect.poll(() => table.count()).toBe(50)
    expect(await table.first().innerText()).toMatch(
      new RegExp(`1\\s+${people[0]!.firstName}\\s+${people[0]!.workEmail}\\s+never`),
    )
    await button('Show more').click()
    await expect.poll(() => table.count()).toBe(rows.length)
    expect(await lookAtAllViews(page)).toEqual([])
    expect(await page.locator('main').innerText()).not.toMatch(/plst_/)
  })

  it('says what is wrong with a list beside its field', async () => {
    const { page, open } = view
    await open('lists/new')
    await page.getByLabel('Name', { exact: true }).fill('Leads')
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Email\nada@example.com\n'),
    })
    await button('Store the list').click()
    await page.locator('.field-error', { hasText: 'A list named "Leads" already exists.' }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByLabel('Name', { exact: true }).fill('From a file')
    await button('Store the list').click()
    await heading('From a file').waitFor()
  })

  it('makes a list from a search that was run', async () => {
    const { page, open } = view
    await open('lists/new')
    await makeFrom('A search that was run')
    await page.getByText('No search has been run yet.').waitFor()
    const { body } = await server.api('POST', 'steps/contact-data/search-contacts/run', {
      input: { jobTitle: 'manager', limit: 3 },
    })
    await expect.poll(async () => (await server.api('GET', `runs/${body.meta.runId}`)).body.contents).not.toBeNull()
    await open('lists/new')
    await page.getByLabel('Name', { exact: true }).fill('Managers')
    await makeFrom('A search that was run')
    await page.getByLabel('Search', { exact: true }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await button('Store the list').click()
    await heading('Managers').waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'Rows' }).locator('tbody tr').count()).toBe(3)
  })

  it('makes a list from the cards of a board', async () => {
    const { page, open } = view
    await open('lists/new')
    await makeFrom('Get Board Cards, Work board')
    await page.getByLabel('Name', { exact: true }).fill('Prospects')
    await page.getByLabel('What the rows name').selectOption('Companies')
    await button('Store the list').click()
    await page.getByRole('alert').filter({ hasText: 'Board' }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByRole('combobox', { name: /^Board/ }).click()
    await page.getByRole('option', { name: /Launch plan/ }).click()
    await button('Store the list').click()
    await heading('Prospects').waitFor()
    await page.getByRole('cell', { name: 'Press kit' }).first().waitFor()
    await photograph('lists-from-board', `lists/Prospects`)
  })

  it('lists them with rows, source and age, on a phone without sideways scrolling', async () => {
    const { page, open } = view
    await server.api('POST', 'people-lists', { name: 'Of Ada', person: 'ada', rows: [{ email: 'ben@example.com' }] })
    await open('lists')
    const table = page.getByRole('region', { name: 'Lists' })
    await table.waitFor()
    const [first] = await table.locator('tbody tr').allInnerTexts()
    expect(first).toMatch(/Of Ada\s+People\s+1\s+Rows\s+ada\s+.*(ago|now)/)
    expect(await lookAtAllViews(page)).toEqual([])
    expect(await sidewaysAt360(page, 'Lists')).toBeLessThanOrEqual(0)
    await photograph('lists', 'lists')
    await open('lists?person=ada')
    await expect.poll(() => table.locator('tbody tr').count()).toBe(1)
  })

  it('refreshes what is old: priced first, then in the list', async () => {
    const { page, open } = view
    await open('lists')
    await page.getByRole('link', { name: 'Leads', exact: true }).click()
    await heading('Leads').waitFor()
    await photograph('lists-rows', 'lists/Leads')
    await button('Look up or refresh').click()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByLabel('Provider', { exact: true }).selectOption({ label: 'Contact data' })
    await page.getByLabel('Not checked for (days)').fill('30')
    await button('Quote its price').click()
    await page.getByRole('heading', { name: 'Start the job' }).waitFor()
    await page.getByText('60 rows, none looked up yet.').waitFor()
    await button('Cancel the job').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByText('Cancelled', { exact: true }).waitFor()
  })

  it('deletes a list once that is confirmed', async () => {
    const { page, open } = view
    await open('lists/Managers')
    await button('Delete').click()
    const dialog = page.getByRole('dialog', { name: 'Delete “Managers”?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await button('Delete').click()
    expect(await lookAtAllViews(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Delete the list' }).click()
    await heading('Lists').waitFor()
    await page.getByRole('link', { name: 'Leads', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'Managers' }).count()).toBe(0)
    await open('lists/Managers')
    await page.getByRole('alert').filter({ hasText: 'There is no list "Managers"' }).waitFor()
  })
})
