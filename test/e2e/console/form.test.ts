import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { integrations } from '../../../integrations/index.ts'
import forms from './form-integration.ts'
import { chromium } from '../browser.ts'
import type { Browser, Page } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

/**
 * Every control of the portable schema on a page, filled in as a person does, and sent to a step that answers with its
 * input.
 */

const bundlePage = async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('form-page.tsx', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: '{}',
    write: false,
  })
  return outputFiles[0]!.text
}

let server: Server
let browser: Browser
let view: Console
let page: Page

const open = async (query: string) => {
  await page.goto(`${server.origin}/console/?${query}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}
const openEverything = async (input: object = { text: 'x' }) => {
  await open(`step=everything&input=${encodeURIComponent(JSON.stringify(input))}`)
  const more = page.locator('details.more-fields')
  if ((await more.getAttribute('open')) === null) await more.locator(':scope > summary').click()
}
const said = () => page.locator('#said').innerText()
/** Sends the form; gives what the step got. */
const send = async (): Promise<any> => {
  await page.getByRole('button', { name: 'Send' }).click()
  await expect.poll(said).toMatch(/^done|^sent/)
  return JSON.parse((await said()).slice(5))
}
const group = (name: string) => page.getByRole('group', { name, exact: true })
const byRole = (role: 'textbox' | 'combobox' | 'radio' | 'checkbox' | 'button' | 'option', name: string) =>
  page.getByRole(role, { name, exact: true })
const summary = () => page.getByRole('alert').locator('li').allInnerTexts()

beforeAll(async () => {
  if (chromium === undefined) return
  server = await openServer({ integrations: [...integrations, forms] })
  for (const name of ['Mine', 'Other'])
    expect(
      (
        await server.api('POST', 'connections', {
          integration: 'forms',
          type: 'api-key',
          name,
          externalId: name,
          secrets: { apiKey: 'k-1' },
        })
      ).status,
    ).toBe(201)
  browser = await launch()
  view = await openConsole(browser, server)
  page = view.page
  const script = await bundlePage()
  await page.route(/\/console\/main-[^/]*\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  )
})
afterAll(async () => {
  if (chromium === undefined) return
  expect(view.complaints).toEqual([])
  await view.close()
  await browser.close()
  await server.close()
})

describe.skipIf(chromium === undefined)('each kind of field', () => {
  it('text, long text, address and e-mail', async () => {
    await openEverything({})
    await byRole('textbox', 'Text').fill('Hello')
    await byRole('textbox', 'Long text').fill('one\ntwo')
    await byRole('textbox', 'Address').fill('https://example.com/a')
    await byRole('textbox', 'E-mail').first().fill('ada@example.com')
    expect(await byRole('textbox', 'Text').getAttribute('placeholder')).toBe('Such as this')
    expect(await page.getByRole('link', { name: 'Help for Text' }).getAttribute('rel')).toBe('noopener noreferrer')
    expect(await send()).toEqual({
      text: 'Hello',
      longText: 'one\ntwo',
      url: 'https://example.com/a',
      email: 'ada@example.com',
      count: 10,
    })
  })

  it('secret', async () => {
    await open('')
    const secret = page.getByLabel('API key')
    expect(await secret.getAttribute('type')).toBe('password')
    await secret.fill('k-2')
    expect(await send()).toEqual({ apiKey: 'k-2' })
  })

  it('date with time, in the zone of the reader or another, and typed', async () => {
    await openEverything()
    const due = group('Due')
    await due.getByLabel('Date').fill('2026-12-01')
    await page.getByRole('button', { name: 'Send' }).click()
    expect(await summary()).toEqual(['Due: the time is missing.'])
    await due.getByLabel('Time', { exact: true }).fill('17:00')
    expect(await due.getByLabel('Time zone').inputValue()).toBe('Australia/Sydney')
    expect(await send()).toHaveProperty('due', '2026-12-01T17:00:00+11:00')
    await due.getByLabel('Time zone').selectOption('Europe/Berlin')
    expect(await send()).toHaveProperty('due', '2026-12-01T17:00:00+01:00')
    await due.getByRole('button', { name: 'Enter as text' }).click()
    await due.getByRole('textbox').fill('2026-03-31T06:00:00Z')
    expect(await send()).toHaveProperty('due', '2026-03-31T06:00:00Z')
    await due.getByRole('button', { name: 'Choose date and time' }).click()
    await due.getByRole('button', { name: 'Clear Due' }).click()
    expect(await send()).not.toHaveProperty('due')
  })

  it('number with its unit, bounds and default', async () => {
    await openEverything()
    const count = byRole('textbox', 'Count')
    await page.getByText('1 to 50. Default: 10.').waitFor()
    await count.fill('51')
    await page.getByRole('button', { name: 'Send' }).click()
    expect(await summary()).toEqual(['Count must be at most 50 people.'])
    await count.fill('1,5')
    await page.getByRole('button', { name: 'Send' }).click()
    expect(await summary()).toEqual(['Count: “1,5” is not a number. Enter digits, such as 5 or 2.5.'])
    expect(await count.inputValue()).toBe('1,5')
    await count.fill('50')
    expect(await send()).toHaveProperty('count', 50)
  })

  it('duration in a handy unit', async () => {
    await openEverything({ text: 'x', wait: 120_000 })
    expect([
      await byRole('textbox', 'Wait').inputValue(),
      await byRole('combobox', 'Unit of Wait').inputValue(),
    ]).toEqual(['2', 'minutes'])
    await byRole('textbox', 'Wait').fill('1.5')
    expect(await send()).toHaveProperty('wait', 90_000)
    await byRole('combobox', 'Unit of Wait').selectOption('hours')
    expect(await byRole('textbox', 'Wait').inputValue()).toBe('1.5')
    expect(await send()).toHaveProperty('wait', 5_400_000)
  })

  it('switch: yes, no and not set', async () => {
    await openEverything()
    expect(await group('Flag').getByLabel('Not set').isChecked()).toBe(true)
    await group('Flag').getByLabel('No', { exact: true }).check()
    expect(await send()).toHaveProperty('flag', false)
    await group('Flag').getByLabel('Yes').check()
    expect(await send()).toHaveProperty('flag', true)
    await group('Flag').getByLabel('Not set').check()
    expect(await send()).not.toHaveProperty('flag')
  })

  it('choice, with a field that is shown beside one of its values', async () => {
    await openEverything()
    expect(await byRole('textbox', 'Reason').count()).toBe(0)
    await byRole('combobox', 'Colour').selectOption({ label: 'Warm red' })
    await byRole('textbox', 'Reason').fill('Because')
    expect(await send()).toMatchObject({ colour: 'red', reason: 'Because' })
    await byRole('combobox', 'Colour').selectOption({ label: 'Green' })
    expect(await byRole('textbox', 'Reason').count()).toBe(0)
    expect(await send()).not.toHaveProperty('reason')
  })

  it('choices', async () => {
    await openEverything()
    await byRole('checkbox', 'Large').check()
    await byRole('checkbox', 'Small').check()
    expect(await send()).toHaveProperty('sizes', ['small', 'large'])
    await byRole('checkbox', 'Small').uncheck()
    expect(await send()).toHaveProperty('sizes', ['large'])
  })

  it('pick: search, pages, what it depends on, and by id', async () => {
    await openEverything()
    const [shelf, book] = [byRole('combobox', 'Shelf'), byRole('combobox', 'Book')]
    await group('Book').getByText('Choose “Shelf” first.').waitFor()
    // By keyboard: open, page down to the end, which loads the next page.
    await shelf.focus()
    await page.keyboard.press('ArrowDown')
    await page.getByText('100 found, more available.').waitFor()
    expect(await byRole('option', 'Shelf 1 the first').count()).toBe(1)
    await group('Shelf').getByRole('button', { name: 'Show more' }).click()
    await page.getByText('130 found.').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('listbox').count()).toBe(0)
    await shelf.fill('shelf 12')
    await page.getByText('11 found.').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await shelf.inputValue()).toBe('Shelf 120')
    await book.click()
    await byRole('option', 'Atlas of shelf-120').click()
    expect(await send()).toMatchObject({ shelf: 'shelf-120', book: 'shelf-120-atlas' })
    // Another parent: the choice made under the former one is gone.
    expect(await group('Shelf').getByRole('button', { name: 'Enter an id or link: Shelf' }).count()).toBe(0)
    await shelf.click()
    await group('Shelf').getByRole('button', { name: 'Enter an id or link: Shelf' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('shelf-3')
    expect(await byRole('textbox', 'Shelf, id or link').inputValue()).toBe('shelf-3')
    expect(await book.inputValue()).toBe('')
    await book.click()
    await group('Book').getByRole('button', { name: 'Enter an id: Book' }).click()
    await byRole('textbox', 'Book, id').fill('b-77')
    expect(await send()).toMatchObject({ shelf: 'shelf-3', book: 'b-77' })
    // An id may be pasted into the search, too.
    await group('Shelf').getByRole('button', { name: 'Choose from the account: Shelf' }).click()
    expect(await shelf.evaluate((element) => element === document.activeElement)).toBe(true)
    await shelf.fill('https://shelves.example/9')
    await byRole('option', 'Use “https://shelves.example/9” as the id or link').click()
    expect(await send()).toHaveProperty('shelf', 'https://shelves.example/9')
  })

  it('pick: opened at once after what it depends on was chosen, it has its choices', async () => {
    await openEverything()
    await byRole('combobox', 'Shelf').click()
    const option = byRole('option', 'Shelf 2')
    await option.waitFor()
    // In one task of the page, as with a fast hand on a slow machine.
    await option.evaluate(async (element) => {
      ;(element as HTMLElement).click()
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
      document.querySelector<HTMLElement>('input[role="combobox"][aria-label="Book"]')!.click()
    })
    await byRole('option', 'Atlas of shelf-2').waitFor()
  })

  it('pick: what an earlier input chose has its title', async () => {
    await openEverything({ text: 'x', shelf: 'shelf-2', book: 'shelf-2-cookery' })
    await expect.poll(() => byRole('combobox', 'Shelf').inputValue()).toBe('Shelf 2')
    await expect.poll(() => byRole('combobox', 'Book').inputValue()).toBe('Cookery of shelf-2')
    await page.getByRole('button', { name: 'Clear Shelf' }).click()
    expect(await send()).toEqual({ text: 'x', count: 10 })
  })

  it('pick: what an earlier input chose is never shown by its id, whether or not it has a title', async () => {
    const unknown = '507f1f77bcf86cd799439011'
    await openEverything({ text: 'x', shelf: unknown })
    const shelf = byRole('combobox', 'Shelf')
    expect(await shelf.inputValue()).toBe('Shelf chosen before')
    await shelf.click()
    await page.getByText('100 found, more available.').waitFor()
    await page.keyboard.press('Escape')
    expect(await shelf.inputValue()).toBe('Shelf chosen before')
    expect(await send()).toHaveProperty('shelf', unknown)
  })

  it('pick: what an earlier input chose can be changed without what it depends on', async () => {
    await openEverything({ text: 'x', book: 'b-7' })
    await group('Book').getByText('Choose “Shelf” first, to choose from the account.').waitFor()
    const book = byRole('textbox', 'Book, id')
    expect(await book.inputValue()).toBe('b-7')
    await book.fill('')
    await book.fill('b-8')
    expect(await send()).toHaveProperty('book', 'b-8')
  })

  it('pick: says why nothing was loaded, and tries again', async () => {
    await openEverything()
    await byRole('combobox', 'Flaky').fill('flaky')
    await page.getByText('The catalogue does not answer.').waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await group('Flaky').getByRole('button', { name: 'Try again' }).click()
    await byRole('option', 'Flaky but found').click()
    expect(await send()).toHaveProperty('flaky', 'f1')
  })

  it('pick many', async () => {
    await openEverything({ text: 'x', shelf: 'shelf-1' })
    const books = byRole('combobox', 'Books')
    for (const name of ['Atlas', 'Cookery']) {
      await books.click()
      await byRole('option', `${name} of shelf-1`).click()
    }
    await books.click()
    await group('Books').getByRole('button', { name: 'Enter an id: Books' }).click()
    await byRole('textbox', 'Books, id to add').fill('b-9')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove Atlas of shelf-1' }).click()
    expect(await send()).toHaveProperty('books', ['shelf-1-cookery', 'b-9'])
  })

  it('list: add, order and remove', async () => {
    await openEverything()
    const line = (at: number) => byRole('textbox', `Lines ${at}`)
    await line(1).fill('one')
    for (const [at, text] of [
      [2, 'two'],
      [3, 'three'],
    ] as const) {
      await group('Lines').getByRole('button', { name: 'Add another' }).click()
      await expect.poll(() => line(at).evaluate((input) => input === document.activeElement)).toBe(true)
      await page.keyboard.type(text)
    }
    await group('Lines').getByRole('button', { name: 'Move 3 up' }).click()
    await group('Lines').getByRole('button', { name: 'Remove 1' }).click()
    expect(await send()).toHaveProperty('lines', ['three', 'two'])
  })

  it('rows: a table of objects, with the error at its cell', async () => {
    await openEverything()
    const cell = (row: number, name: string) => group(`People ${row}`).getByRole('textbox', { name, exact: true })
    await cell(1, 'E-mail').fill('ada@example.com')
    await group('People').getByRole('button', { name: 'Add a row' }).click()
    await cell(2, 'Age').fill('151')
    await page.getByRole('button', { name: 'Send' }).click()
    expect(await summary()).toEqual([
      'People 2: Age must be at most 150.',
      'People 2: Fill in at least one of “E-mail”, “Name”.',
    ])
    expect(await cell(2, 'Age').getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('link', { name: 'People 2: Age must be at most 150.' }).click()
    expect(await cell(2, 'Age').evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await lookAtAllViews(page)).toEqual([])
    await cell(2, 'Age').fill('50')
    await cell(2, 'Name').fill('Grace')
    expect(await send()).toHaveProperty('people', [{ email: 'ada@example.com' }, { name: 'Grace', age: 50 }])
    await page.getByRole('button', { name: 'Remove People 1' }).click()
    expect(await send()).toHaveProperty('people', [{ name: 'Grace', age: 50 }])
  })

  it('rows: filled by what a spreadsheet copies, into a cell or into the box', async () => {
    await openEverything()
    const cell = (row: number, name: string) => group(`People ${row}`).getByRole('textbox', { name, exact: true })
    const paste = (text: string) =>
      cell(1, 'Name').evaluate((input, pasted) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', pasted)
        input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }, text)
    await cell(1, 'E-mail').fill('ada@example.com')
    await paste('Ada\t36\nGrace\t45\n')
    await page.getByText('2 rows filled in.').waitFor()
    expect(await send()).toHaveProperty('people', [
      { email: 'ada@example.com', name: 'Ada', age: 36 },
      { name: 'Grace', age: 45 },
    ])
    await page.getByText('Paste from a spreadsheet').click()
    await page.getByRole('textbox', { name: 'Rows to paste into People' }).fill('Age,E-mail\n50,x@example.com')
    expect(await lookAtAllViews(page)).toEqual([])
    await byRole('button', 'Fill the table').click()
    expect((await send()).people[2]).toEqual({ email: 'x@example.com', age: 50 })
  })

  it('JSON, checked while it is typed', async () => {
    await openEverything()
    const extra = byRole('textbox', 'Extra')
    await extra.fill('{\n  "a": 1,\n  b\n}')
    await page.getByText('This is not valid JSON, line 3').waitFor()
    expect(await extra.getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: 'Send' }).click()
    expect((await summary())[0]).toContain('Extra: this is not valid JSON, line 3')
    await extra.fill('{"a":[1]}')
    await page.getByRole('button', { name: 'Format' }).click()
    expect(await extra.inputValue()).toBe('{\n  "a": [\n    1\n  ]\n}')
    expect(await send()).toHaveProperty('extra', { a: [1] })
  })

  it('file: uploaded at once, or a stored one', async () => {
    await openEverything()
    await page
      .getByLabel('File', { exact: true })
      .last()
      .setInputFiles({ name: 'Übersicht.txt', mimeType: 'text/plain', buffer: Buffer.from('Agenda') })
    await page.getByText('Übersicht.txt, 6 bytes').waitFor()
    const { file } = await send()
    expect((await server.api('GET', `files/${file.file}/metadata`)).body).toMatchObject({
      name: 'Übersicht.txt',
      size: 6,
    })
    await page.getByRole('button', { name: 'Remove File' }).click()
    await page.getByRole('button', { name: 'Use a stored file' }).click()
    await byRole('textbox', 'Id of File').fill(file.file)
    expect(await send()).toMatchObject({ file })
  })
})

/** Changes a field of the manifest before the page gets it. */
const patched = async (on: Page, name: string, change: object, act: () => Promise<void>) => {
  const path = /\/v1\/integrations\/forms$/
  await on.route(path, async (route) => {
    const response = await route.fetch()
    const manifest = await response.json()
    const step = manifest.steps.find(({ id }: { id: string }) => id === 'everything')
    Object.assign(
      step.layout.fields.find((field: { name: string }) => field.name === name),
      change,
    )
    await route.fulfill({ response, json: manifest })
  })
  try {
    await act()
  } finally {
    await on.unroute(path)
  }
}

describe.skipIf(chromium === undefined)('the form', () => {
  it('offers a JSON editor for a control that it does not support', () =>
    patched(page, 'extra', { control: 'globe' }, async () => {
      await openEverything()
      await page.getByText('This console does not support the control “globe”. Enter the value as JSON.').waitFor()
      await byRole('textbox', 'Extra').fill('{"lat": -33.9}')
      expect(await send()).toHaveProperty('extra', { lat: -33.9 })
    }))

  it('is the same on the page of a step', async () => {
    const real = await openConsole(browser, server)
    await patched(real.page, 'extra', { control: 'globe' }, async () => {
      await real.open('steps/forms/everything')
      await real.page.getByRole('textbox', { name: 'Text', exact: true }).fill('Hello')
      await real.page.getByText(/^More fields/).click()
      await real.page.getByRole('textbox', { name: 'Extra', exact: true }).fill('{"lat": -33.9}')
      await real.page.getByRole('combobox', { name: 'Shelf', exact: true }).click()
      await real.page.getByRole('option', { name: 'Shelf 2', exact: true }).click()
      const answered = real.page.waitForResponse(/everything\/run$/)
      await real.page.getByRole('button', { name: 'Run', exact: true }).click()
      expect((await (await answered).json()).output).toEqual({
        text: 'Hello',
        count: 10,
        extra: { lat: -33.9 },
        shelf: 'shelf-2',
      })
      expect(await lookAtAllViews(real.page)).toEqual([])
    })
    expect(real.complaints).toEqual([])
    await real.close()
  })

  it('offers the connected accounts, the default one first, also as a field of a layout', () =>
    patched(page, 'reason', { control: 'connection', showWhen: undefined, types: ['api-key'] }, async () => {
      await openEverything({ text: 'x', colour: 'red' })
      const account = byRole('combobox', 'Connection')
      expect(await account.locator('option:checked').innerText()).toMatch(/^Mine \(default\)/)
      expect(await page.locator('a[href*="integration=forms&connect=api-key"]').count()).toBeGreaterThan(0)
      await byRole('combobox', 'Reason').selectOption({ label: 'Other – unverified' })
      const { body } = await server.api('GET', 'connections?integration=forms')
      expect(await send()).toHaveProperty(
        'reason',
        body.items.find(({ name }: { name: string }) => name === 'Other').id,
      )
    }))

  it('shows where no account is connected how to connect one', async () => {
    const path = /\/v1\/connections\?/
    await page.route(path, (route) => route.fulfill({ json: { items: [] } }))
    await open('step=everything')
    expect(await page.getByRole('link', { name: 'Connect one' }).getAttribute('href')).toContain(
      '/console/connections?integration=forms',
    )
    await page.unroute(path)
  })

  it('says what is missing, takes the focus there, and leads to the field; so do errors of the server', async () => {
    await openEverything({})
    const text = byRole('textbox', 'Text')
    // In one task of the page: what is clicked next keeps the focus.
    const role = await page.getByRole('button', { name: 'Send' }).evaluate(async (send) => {
      ;(send as HTMLElement).click()
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
      return document.activeElement?.getAttribute('role')
    })
    expect(role).toBe('alert')
    await page.getByRole('link', { name: 'Enter “Text”: it is required.' }).click()
    expect(await text.evaluate((input) => input === document.activeElement)).toBe(true)
    const described = await text.evaluate((input) =>
      ['aria-errormessage', 'aria-describedby'].map((name) =>
        input
          .getAttribute(name)!
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent?.trim()),
      ),
    )
    expect(described).toEqual([
      ['Enter “Text”: it is required.'],
      ['Enter “Text”: it is required.', 'About text. Help for Text'],
    ])
    await text.fill('refuse')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(summary).toEqual(['Text: the provider refuses this word. Enter another one.'])
    expect(await text.getAttribute('aria-invalid')).toBe('true')
    await text.fill('far too long for this field')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(async () => (await summary()).join()).toContain('20')
    expect(await text.getAttribute('aria-invalid')).toBe('true')
  })

  it('shows the fields of every set, and turns off those that exclude each other', async () => {
    await open('step=one-set')
    await page.getByText('Enough: E-mail, or First name + Last name.').waitFor()
    const [email, first, last] = ['E-mail', 'First name', 'Last name'].map((name) => byRole('textbox', name))
    await first!.fill('Ada')
    expect(await email!.isDisabled()).toBe(true)
    await page.getByText('Not together with “First name”: clear that first.').waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByRole('button', { name: 'Send' }).click()
    expect(await summary()).toEqual(['Fill in exactly one of “E-mail”, “First name + Last name”.'])
    await page.getByRole('link', { name: /^Fill in exactly one/ }).click()
    expect(await last!.evaluate((input) => input === document.activeElement)).toBe(true)
    await last!.fill('Example')
    await page.getByText('Enough is filled in.').waitFor()
    expect(await send()).toEqual({ firstName: 'Ada', lastName: 'Example' })
    await first!.fill('')
    await last!.fill('')
    expect(await email!.isDisabled()).toBe(false)
  })

  it('sends every field where several sets may be filled', async () => {
    await open('step=any-set')
    await byRole('textbox', 'E-mail').fill('ada@example.com')
    await byRole('textbox', 'First name').fill('Ada')
    expect(await send()).toEqual({ email: 'ada@example.com', firstName: 'Ada' })
  })

  it('adds the filters of a search one by one', async () => {
    await open('step=everything-optional&search')
    expect(await byRole('textbox', 'Text').count()).toBe(1)
    expect(await byRole('textbox', 'Count').count()).toBe(0)
    await byRole('combobox', 'Filter').selectOption({ label: 'Count' })
    await byRole('button', 'Add filter').click()
    const count = byRole('textbox', 'Count')
    await expect.poll(() => count.evaluate((input) => input === document.activeElement)).toBe(true)
    await count.fill('7')
    await byRole('combobox', 'Filter').selectOption({ label: 'Colour' })
    await byRole('button', 'Add filter').click()
    await byRole('combobox', 'Colour').selectOption({ label: 'Green' })
    expect(await lookAtAllViews(page)).toEqual([])
    expect(await send()).toEqual({ count: 7, colour: 'green' })
    await byRole('button', 'Remove Count').click()
    expect(await byRole('textbox', 'Count').count()).toBe(0)
    expect(await send()).toEqual({ count: 10, colour: 'green' })
  })

  it('draws the fields of the account once it can load them', async () => {
    await open('step=of-account')
    await page.getByText('Choose “Shelf” to see the fields of the account').waitFor()
    await byRole('combobox', 'Shelf').click()
    await byRole('option', 'Shelf 1 the first').click()
    await byRole('textbox', 'Points').fill('5')
    await byRole('combobox', 'Grade').selectOption({ label: 'Good' })
    await byRole('checkbox', 'Empty “Read”').check()
    expect(await lookAtAllViews(page)).toEqual([])
    expect(await send()).toEqual({
      shelf: 'shelf-1',
      values: [
        ['Points', 5],
        ['Grade', 'g1'],
        ['Read', null],
      ],
    })
    await byRole('combobox', 'Shelf').fill('Shelf 2')
    await byRole('option', 'Shelf 2').click()
    await page.getByText('The catalogue does not answer.').waitFor()
    // What cannot be drawn can still be entered.
    expect(await byRole('textbox', 'Custom fields').count()).toBe(1)
  })

  it('has nothing that axe finds, light and dark, wide and at 360 px, with lists open', async () => {
    await openEverything({
      text: 'x',
      shelf: 'shelf-1',
      books: ['b-1', 'b-2'],
      people: [{ name: 'Ada' }, { name: 'Grace' }],
      lines: ['one', 'two'],
      colour: 'red',
    })
    await byRole('combobox', 'Books').click()
    await byRole('option', 'Atlas of shelf-1').waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await lookAtAllViews(page)).toEqual([])
  })
})
