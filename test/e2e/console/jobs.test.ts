import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDataSet } from '../../../shared/sandbox/people/data-set.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolyard-jobs-'))
const people = createDataSet().people.filter(
  ({ knownTo, suppressed, workEmail }) => knownTo.includes('contact') && !suppressed && workEmail,
)

let server: Server
let browser: Browser
let view: Console

const fileOf = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const fill = async (path: string) => {
  const { page, open } = view
  await open('jobs/new')
  await page.getByLabel('What the rows name').selectOption({ label: 'People: Contact data' })
  await page.getByLabel('File', { exact: true }).setInputFiles(path)
}
const quote = () => view.page.getByRole('button', { name: 'Read the file and quote its price' }).click()

describe.skipIf(chromium === undefined)('jobs', () => {
  beforeAll(async () => {
    server = await openServer()
    browser = await launch()
    view = await openConsole(browser, server)
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('says what a job is when there is none', async () => {
    const { page, open } = view
    await open('jobs')
    await page.getByRole('heading', { name: 'No jobs yet' }).waitFor()
    await page.getByRole('heading', { name: 'Look up a list' }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await open('jobs/new')
    await page.getByRole('heading', { name: 'Look up a file' }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('quotes a file, shows its first rows, and looks them up within a budget', async () => {
    const { page } = view
    const [one, other] = people
    await fill(
      fileOf(
        'people.csv',
        `Name,Email\n${one!.firstName},${one!.workEmail}\n=Nobody,nobody@unknown.example\nOther,${other!.workEmail}\n`,
      ),
    )
    const rows = page.getByRole('region', { name: 'The first rows of the list' })
    await expect.poll(() => rows.locator('tbody tr').count()).toBe(3)
    expect(await rows.locator('th').allInnerTexts()).toEqual(['Name', 'Email'])
    await quote()
    await page.getByRole('heading', { name: 'people.csv' }).waitFor()
    await page.getByText('Looks up the people of people.csv at Contact data. 3 rows, none looked up yet.').waitFor()
    await page.getByRole('heading', { name: 'Start the job' }).waitFor()
    await page.getByRole('cell', { name: `email: ${one!.workEmail}` }).waitFor()
    await page.getByText('email from the column “Email”').waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByLabel('Budget in credits').fill('20')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const link = page.getByRole('link', { name: 'Download the result' })
    await link.waitFor()
    expect(await page.getByText('2 (67 % of the rows looked up)').count()).toBe(1)
    expect(await lookAtAllViews(page)).toEqual([])
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const path = join(folder, 'result.csv')
    await download.saveAs(path)
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[0]).toMatch(/^Name,Email,toolyard_status/)
    expect(lines[2]).toMatch(/^'=Nobody,nobody@unknown\.example,no_match/)
    await view.open('jobs')
    const row = page.getByRole('region', { name: 'Jobs' }).locator('tbody tr')
    expect(await row.innerText()).toMatch(
      /Looked up the people of people\.csv at Contact data\s+3 of 3 rows: 2 found \(67 %\), 1 without a match\.\s+Done/,
    )
    expect(await page.locator('main').innerText()).not.toMatch(/job_|con_/)
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('looks up rows that were pasted from a spreadsheet', async () => {
    const { page, open } = view
    await open('jobs')
    await page.getByLabel('What the rows name').selectOption({ label: 'People: Contact data' })
    await page.getByText('Or paste rows from a spreadsheet').click()
    await page.getByLabel('Rows', { exact: true }).fill(`Who\tEmail\n"One, ""the first"""\t${people[0]!.workEmail}\n`)
    const rows = page.getByRole('region', { name: 'The first rows of the list' })
    await expect.poll(() => rows.locator('tbody td').first().innerText()).toBe('One, "the first"')
    expect(await lookAtAllViews(page)).toEqual([])
    await quote()
    await page.getByText('Looks up the people of pasted rows.csv').waitFor()
    await page.getByText('email from the column “Email”').waitFor()
    await page.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByText('Cancelled', { exact: true }).waitFor()
  })

  it('says which columns a file has when none of them can be used', async () => {
    const { page } = view
    await fill(fileOf('other.csv', 'Colour,Size\nred,1\n'))
    await quote()
    await page.getByRole('alert').filter({ hasText: 'The columns are: "Colour", "Size".' }).waitFor()
    await fill(fileOf('odd.csv', `Contact\n${people[2]!.workEmail}\n`))
    await page.getByText('Columns of the file').click()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByLabel('Column with: E-mail').selectOption('Contact')
    await quote()
    await page.getByText('email from the column “Contact”').waitFor()
    await page.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByText('Cancelled', { exact: true }).waitFor()
  })
})
