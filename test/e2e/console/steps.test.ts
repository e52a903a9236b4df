import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Manifest } from '../../../shared/runtime/catalogue/manifest.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { delayFrames, launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

let server: Server
let browser: Browser
let view: Console
let manifests: Manifest[]
let board: { id: string; lists: { id: string; name: string }[] }

const button = (name: string) => view.page.getByRole('button', { name, exact: true })
const heading = (name: string) => view.page.getByRole('heading', { name, exact: true })
const field = (name: string) => view.page.locator(`form.form [id$="_${name}"]`).first()
/** Opens a step; its account is chosen and its form is there. */
const openStep = async (integration: string, step: string) => {
  await view.open(`steps/${integration}/${step}`)
  await button('Run').waitFor()
  // Without an account the choices of its fields could not be loaded.
  if (step !== 'find-endpoints')
    await view.page.getByLabel('Connection', { exact: true }).locator('option').first().waitFor({ state: 'attached' })
}
const byId = async (title: string, name: string, value: string) => {
  const toggle = view.page.getByRole('button', { name: new RegExp(`^Enter an id( or link)?: ${title}`) })
  // Where there are choices, it is below them.
  await field(name).click()
  // Those of a board are loaded by now, so that a later count of requests has them all.
  if (name === 'idBoard') await view.page.locator('li[role="option"]').first().waitFor()
  await toggle.click()
  await field(name).fill(value)
}
const sentToBoard = () => server.sandbox.board.control.requests().length
const raw = async () => {
  await view.page.getByRole('tab', { name: 'JSON' }).click()
  return JSON.parse(await view.page.getByLabel('Output as JSON').innerText()) as unknown
}
const run = (step: string, input: object) => server.api('POST', `steps/work-board/${step}/run`, { input })

describe.skipIf(chromium === undefined)('steps', () => {
  beforeAll(async () => {
    server = await openServer()
    browser = await launch()
    view = await openConsole(browser, server)
    const { body } = await server.api('GET', 'integrations')
    manifests = await Promise.all(
      body.items.map(async ({ id }: { id: string }) => (await server.api('GET', `integrations/${id}`)).body),
    )
    board = (await run('get-boards', { lists: 'open' })).body.output.boards[0]
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
  })

  describe('picking', () => {
    it('by words, synonyms and filters, which are in the address', async () => {
      const { page, open } = view
      await open('steps')
      const rows = page.locator('.entries li')
      const all = manifests.flatMap(({ steps }) => steps).length
      await expect.poll(() => rows.count()).toBe(all)
      expect(await page.locator('.badge', { hasText: 'Costs credits' }).count()).toBe(
        manifests.flatMap(({ steps }) => steps).filter(({ badges }) => badges.includes('credits')).length,
      )
      expect(await lookAtAllViews(page)).toEqual([])
      const best = async () => (await page.locator('.entries a').allInnerTexts())[0]
      await page.getByRole('searchbox').fill('new ticket')
      await expect.poll(best).toBe('Create Card')
      expect(await rows.count()).toBeLessThan(all / 6)
      await expect.poll(() => new URL(page.url()).search).toBe('?query=new+ticket')
      await page.reload()
      await expect.poll(best).toBe('Create Card')
      await page.getByRole('searchbox').fill('serch for comapnies')
      await expect.poll(best).toMatch(/^(Find Company|Search Companies)$/)
      await page.getByRole('searchbox').fill('')
      await page.getByLabel('Does').selectOption('write')
      await page.getByLabel('Integration').selectOption('anz-data')
      await expect.poll(() => page.locator('.entries a').allInnerTexts()).toEqual(['API Call'])
      await page.getByRole('searchbox').fill('zebra')
      await heading('No step matches “zebra”').waitFor()
      expect(await lookAtAllViews(page)).toEqual([])
      await button('Show all steps').click()
      await expect.poll(() => rows.count()).toBe(all)
      expect(new URL(page.url()).search).toBe('')
    })

    it('a step is found, filled in and run by keyboard alone', async () => {
      const { page, open } = view
      await open('steps')
      await page.locator('.entries a').first().waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('column stage copy')
      await expect.poll(async () => (await page.locator('.entries a').allInnerTexts())[0]).toBe('Create List')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await heading('Create List').waitFor()
      await page.getByLabel('Connection', { exact: true }).waitFor()
      const tabTo = async (what: () => Promise<boolean>) => {
        for (let n = 0; n < 60 && !(await what()); n += 1) await page.keyboard.press('Tab')
        expect(await what()).toBe(true)
      }
      const isOn = (selector: string) => () =>
        page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)
      await tabTo(isOn('form.form [role="combobox"]'))
      await page.keyboard.press('ArrowDown')
      await page.locator('li[role="option"]').first().waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await tabTo(isOn('form.form [id$="_name"]'))
      await page.keyboard.type('By keyboard')
      await tabTo(isOn('button.primary'))
      await page.keyboard.press('Enter')
      await heading('Result').waitFor()
      expect(await raw()).toMatchObject({ name: 'By keyboard', idBoard: board.id })
    })
  })

  it('every step draws its form and runs with the input of its example', { timeout: 600_000 }, async () => {
    const { page } = view
    const wrong: string[] = []
    let sent: string | undefined
    page.on('request', (request) => {
      const body = request.url().endsWith('/run') ? request.postData() : null
      if (body !== null && !body.includes('"dryRun":true')) sent = body
    })
    for (const { id: integration, steps } of manifests)
      for (const step of steps) {
        const example = step.examples.find(({ output }) => output !== undefined)!
        const at = `steps/${integration}/${step.id}`
        expect(
          await server.api('PUT', `${at}/sample`, { input: example.input, output: 'of the example' }),
        ).toMatchObject({ status: 200 })
        await openStep(integration, step.id)
        await button('Use the sample').click()
        const shown = await page.locator('form.form label, form.form legend').allInnerTexts()
        for (const { name, title } of step.layout.fields)
          if (name in (example.input as object) && !shown.some((text) => text.includes(title)))
            wrong.push(`${at}: no field ${title}`)
        // What the example names is there again, whatever the ones before did.
        server.sandbox.board.control.reset()
        sent = undefined
        await button('Run').click()
        const dialog = page.getByRole('dialog')
        const failed = page.locator('.problem')
        const done = page.locator('.outcome .badge', { hasText: 'Done' })
        await dialog.or(failed).or(done).first().waitFor()
        if ((await dialog.count()) > 0) {
          if (step.badges.includes('credits')) expect(await dialog.innerText()).toContain('credit')
          await dialog.getByRole('button', { name: 'Run', exact: true }).click()
          await failed.or(done).first().waitFor()
        } else if (step.badges.includes('credits') && step.ready)
          wrong.push(`${at}: no question before credits are spent`)
        if (!step.ready) {
          await page.locator('.note', { hasText: step.notReady! }).waitFor()
          await failed.waitFor()
          continue
        }
        for (const text of await failed.allInnerTexts()) wrong.push(`${at}: ${text}`)
        if (sent && !isDeepStrictEqual(JSON.parse(sent).input, example.input)) wrong.push(`${at}: sent ${sent}`)
      }
    expect(wrong).toEqual([])
  })

  describe('what a run does', () => {
    it('wrong input is shown at its field', async () => {
      const { page } = view
      await openStep('work-board', 'create-list')
      await button('Run').click()
      await expect.poll(() => field('name').getAttribute('aria-invalid')).toBe('true')
      expect(await page.getByRole('alert').innerText()).toContain('Name')
      await byId('Board', 'idBoard', 'https://example.com/not-a-board')
      await field('name').fill('Later')
      await button('Run').click()
      await expect.poll(() => field('idBoard').getAttribute('aria-invalid')).toBe('true')
      expect(await field('name').getAttribute('aria-invalid')).toBe(null)
      expect(await lookAtAllViews(page)).toEqual([])
    })

    it('preview shows the masked request and sends nothing', async () => {
      const { page } = view
      await openStep('work-board', 'create-list')
      await byId('Board', 'idBoard', board.id)
      await field('name').fill('Previewed')
      const before = sentToBoard()
      await button('Preview').click()
      await heading('Preview').waitFor()
      const text = await page.getByLabel('Request 1').innerText()
      expect(text).toMatch(/^POST http.*\/1\/lists\n/)
      expect(text).toContain('***')
      expect(text).toContain('"Previewed"')
      const { key, token } = server.sandbox.board.credentials
      for (const secret of [key, token]) expect(await page.content()).not.toContain(secret)
      expect(sentToBoard()).toBe(before)
      expect(await lookAtAllViews(page)).toEqual([])
    })

    it('a lost answer: asking again gets the result, and nothing is written twice', async () => {
      const { page } = view
      await openStep('work-board', 'create-list')
      await byId('Board', 'idBoard', board.id)
      await field('name').fill('Once')
      await page.route('**/run', async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await button('Run').click()
      await page.getByText('“Try again” sends the same idempotency key').waitFor()
      await page.unroute('**/run')
      await button('Try again').click()
      await heading('Result').waitFor()
      await page.getByText('nothing was sent again').waitFor()
      const { body } = await run('get-boards', { lists: 'open' })
      expect(body.output.boards[0].lists.filter(({ name }: { name: string }) => name === 'Once')).toHaveLength(1)
    })

    it('an answer of a proxy in its place: running again writes nothing twice', async () => {
      const { page } = view
      await openStep('work-board', 'create-list')
      await byId('Board', 'idBoard', board.id)
      await field('name').fill('Once behind a proxy')
      await page.route('**/run', async (route) => {
        await route.fetch()
        await route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' })
      })
      await button('Run').click()
      await page.getByRole('alert').waitFor()
      await page.unroute('**/run')
      await button('Run').click()
      await page.getByText('nothing was sent again').waitFor()
      const { body } = await run('get-boards', { lists: 'open' })
      expect(
        body.output.boards[0].lists.filter(({ name }: { name: string }) => name === 'Once behind a proxy'),
      ).toHaveLength(1)
    })

    it('a click while it runs does nothing; the next run is a new one', async () => {
      const { page } = view
      await openStep('work-board', 'create-list')
      await byId('Board', 'idBoard', board.id)
      await field('name').fill('Twice')
      await page.evaluate(() => {
        const found = document.querySelector<HTMLButtonElement>('form.form button[type=submit]')!
        for (let n = 0; n < 5; n += 1) found.click()
      })
      await heading('Result').waitFor()
      const lists = async () =>
        (await run('get-boards', { lists: 'open' })).body.output.boards[0].lists.filter(
          ({ name }: { name: string }) => name === 'Twice',
        ).length as number
      expect(await lists()).toBe(1)
      await button('Run').click()
      await expect.poll(lists).toBe(2)
    })

    it('an unknown outcome is explained and not repeated without asking', async () => {
      const { page } = view
      await openStep('work-board', 'create-list')
      await byId('Board', 'idBoard', board.id)
      await field('name').fill('Unknown')
      server.sandbox.board.control.fault({ match: { method: 'POST', path: '/1/lists' }, times: 1, cut: 'reset' })
      server.sandbox.board.control.fault({ match: { method: 'GET', path: '/1/boards' }, times: 20, cut: 'reset' })
      await button('Run').click()
      await page.getByText('no answer shows whether it took effect').waitFor()
      server.sandbox.board.control.clearFaults()
      expect(await lookAtAllViews(page)).toEqual([])
      await button('Run again anyway').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Run again', exact: true }).click()
      await heading('Result').waitFor()
      expect(await raw()).toMatchObject({ name: 'Unknown' })
    })

    it('is cancelled while it goes on', async () => {
      const { page } = view
      await openStep('work-board', 'get-list-cards')
      await byId('List', 'idList', board.lists[0]!.id)
      server.sandbox.board.control.fault({ match: { path: `/1/lists/${board.lists[0]!.id}` }, times: 5, cut: 'hang' })
      await button('Run').click()
      await heading('Running').waitFor()
      // The request is held until what the page says meanwhile was read.
      const { promise: isRead, resolve: send } = Promise.withResolvers<void>()
      await page.route('**/cancel', async (route) => {
        await isRead
        await route.continue()
      })
      await button('Cancel').click()
      await page.getByText('Cancelling.').waitFor()
      send()
      await page.locator('.problem', { hasText: 'cancelled' }).waitFor()
      await page.unroute('**/cancel')
      server.sandbox.board.control.clearFaults()
      await button('Run').click()
      await heading('Result').waitFor()
    })

    it('deleting asks first, and a path that the policy refuses is explained', async () => {
      const { page } = view
      await openStep('work-board', 'api-call')
      await page.getByLabel('Find an endpoint').fill('delete card')
      await page.locator('.endpoint-list button', { hasText: 'DELETE /1/cards/{id} ' }).first().click()
      const { body } = await run('create-card', { idList: board.lists[0]!.id, name: 'To be deleted' })
      await button('Run').click()
      await page.getByRole('link', { name: 'Enter “Id”: it is required.' }).waitFor()
      expect(await lookAtAllViews(page)).toEqual([])
      await page.evaluate(delayFrames, 2_000)
      await field('path_id').fill(body.output.id)
      await button('Run').click()
      const dialog = page.getByRole('dialog')
      expect(await dialog.innerText()).toMatch(new RegExp(`DELETE http\\S*/1/cards/${body.output.id}`))
      expect(await lookAtAllViews(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      expect((await run('get-card', { idCard: body.output.id })).status).toBe(200)
      await button('Run').click()
      await dialog.getByRole('button', { name: 'Run', exact: true }).click()
      await heading('Result').waitFor()
      expect((await run('get-card', { idCard: body.output.id })).status).toBe(404)
      await button('Fill in the request by hand').click()
      await field('method').selectOption('POST')
      await field('path').fill('/1/webhooks')
      await page.getByText('This request will be refused: A webhook made here').waitFor()
      await page.getByText(/^What API Call refuses/).click()
      expect(await lookAtAllViews(page)).toEqual([])
      await button('Run').click()
      await page.locator('.problem', { hasText: 'not_allowed' }).waitFor()
    })
  })

  describe('what it gave', () => {
    it('what people read first, as a tree and as JSON; page by page', async () => {
      const { page } = view
      const idList = board.lists[0]!.id
      const { body } = await run('get-list-cards', { idList })
      const names = (body.output.cards as { name: string }[]).map(({ name }) => name)
      await openStep('work-board', 'get-list-cards')
      await byId('List', 'idList', idList)
      if (!(await field('limit').isVisible())) await page.getByText(/^More fields/).click()
      await field('limit').fill('1')
      await button('Run').click()
      await heading('Result').waitFor()
      // A list of one record is that record.
      const record = page.locator('.outcome .thing')
      const first = await record.getByRole('heading').innerText()
      expect(names).toContain(first)
      expect(await record.getByRole('link', { name: first }).getAttribute('href')).toMatch(/^https?:/)
      expect(await page.locator('.outcome').innerText()).not.toMatch(/\b[0-9a-f]{24}\b/)
      expect(await lookAtAllViews(page)).toEqual([])
      await page.getByRole('tab', { name: 'Tree' }).click()
      await page.locator('.outcome .json').waitFor()
      expect(await lookAtAllViews(page)).toEqual([])
      expect(await raw()).toMatchObject({ cards: [{ name: expect.any(String) as string }], more: true })
      expect(await lookAtAllViews(page)).toEqual([])
      await page.getByRole('tab', { name: 'Result' }).click()
      await button('Next page').click()
      await expect.poll(() => record.getByRole('heading').innerText()).not.toBe(first)
      expect(await record.count()).toBe(1)
    })

    it('a list as a table with chosen columns, which are remembered, and as files', async () => {
      const { page } = view
      const [list] = board.lists
      for (const name of ['=1+1', 'Plain', 'Third']) await run('create-card', { idList: list!.id, name })
      const { body } = await run('get-list-cards', { idList: list!.id })
      const show = async () => {
        await openStep('work-board', 'get-list-cards')
        await byId('List', 'idList', list!.id)
        await button('Run').click()
        await heading('Result').waitFor()
      }
      await show()
      const table = page.getByRole('region', { name: `Cards: ${body.output.cards.length}` })
      const titles = () => table.getByRole('columnheader').allInnerTexts()
      expect((await titles())[0]).toBe('Name')
      expect(await titles()).not.toContain('Position')
      await page.getByText('Choose columns').click()
      expect(await lookAtAllViews(page)).toEqual([])
      await page.getByRole('checkbox', { name: 'Position', exact: true }).check()
      await expect.poll(titles).toContain('Position')
      await show()
      await expect.poll(titles).toContain('Position')
      const saved = async (name: string) => {
        const download = page.waitForEvent('download')
        await button(name).click()
        const file = await download
        return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
      }
      const csv = await saved('Download CSV')
      expect(csv.name).toBe('get-list-cards.csv')
      expect(csv.text.split('\r\n')[0]).toContain('name')
      expect(csv.text).toContain(",'=1+1,")
      const json = await saved('Download JSON')
      expect(JSON.parse(json.text)).toEqual(JSON.parse(JSON.stringify(await raw())))
    })

    it('is shown by an example before the first run', async () => {
      const { page } = view
      await server.api('DELETE', 'steps/anz-data/company-enrichment/sample')
      await openStep('anz-data', 'company-enrichment')
      await heading('What you get').waitFor()
      await page.getByRole('region', { name: 'Sample of the result' }).getByRole('heading', { level: 3 }).waitFor()
      expect(await lookAtAllViews(page)).toEqual([])
    })

    it('says what it would cost before it is run', async () => {
      const { page } = view
      const price = page.locator('.price')
      await openStep('anz-data', 'company-enrichment')
      expect(await price.innerText()).toMatch(/^Costs .*credit/)
      await field('domain').fill('wattle.example')
      await expect.poll(() => price.innerText()).toMatch(/in total/)
      await openStep('work-board', 'create-list')
      expect(await price.count()).toBe(0)
    })

    it('the copied cURL command runs, and no copied text holds a secret', async () => {
      const { page } = view
      await openStep('work-board', 'create-list')
      await byId('Board', 'idBoard', board.id)
      const name = `It's "copied" $HOME`
      await field('name').fill(name)
      await page.getByText('Copy as cURL').click()
      const command = await page.getByLabel('cURL command').innerText()
      // Not in this process's turn: the server that answers is in it.
      const { stdout } = await promisify(execFile)('sh', ['-c', command], {
        env: { PATH: process.env['PATH'], TOOLYARD_TOKEN: server.token },
        timeout: 60_000,
      })
      expect(JSON.parse(stdout)).toMatchObject({ output: { name, idBoard: board.id } })
      for (const [tab, label] of [
        ['Library', 'Library code'],
        ['MCP', 'MCP call'],
        ['Command line', 'Command'],
      ] as const) {
        await page.getByRole('tab', { name: tab }).click()
        expect(await page.getByLabel(label, { exact: true }).innerText()).toContain('copied')
      }
      expect(await page.content()).not.toContain(server.token)
      expect(await lookAtAllViews(page)).toEqual([])
    })

    it('is saved as a sample, for the next time and for others', async () => {
      const { page } = view
      await openStep('work-board', 'create-list')
      await byId('Board', 'idBoard', board.id)
      await field('name').fill('Sampled')
      await button('Run').click()
      await button('Save as sample').click()
      await expect
        .poll(async () => (await server.api('GET', 'steps/work-board/create-list/sample')).body.output)
        .toMatchObject({ name: 'Sampled' })
      await openStep('work-board', 'create-list')
      const before = sentToBoard()
      await button('Use the sample').click()
      expect(await field('name').inputValue()).toBe('Sampled')
      expect(await raw()).toMatchObject({ name: 'Sampled' })
      expect(sentToBoard()).toBe(before)
      await button('Delete').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await expect.poll(async () => (await server.api('GET', 'steps/work-board/create-list/sample')).status).toBe(404)
      await button('Use the sample').waitFor({ state: 'detached' })
    })

    it('is run again with edits, while the tab remembers the input', async () => {
      const { page, open } = view
      await openStep('work-board', 'create-list')
      await byId('Board', 'idBoard', board.id)
      await field('name').fill('First')
      await button('Run').click()
      await heading('Result').waitFor()
      const link = page.locator('.outcome').getByRole('link', { name: 'View the run' })
      const id = (await link.getAttribute('href'))!.split('/').at(-1)!
      await link.click()
      await page.getByRole('link', { name: 'Edit and run again' }).click()
      await expect.poll(() => field('name').inputValue()).toBe('First')
      await open(`steps/work-board/create-list?run=${id}`)
      await page.getByText('The form has the input that this browser tab sent for').waitFor()
      expect(await field('name').inputValue()).toBe('First')
      expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('First')
      // Another tab, or this one without its memory.
      await page.evaluate(() => sessionStorage.clear())
      await open(`steps/work-board/create-list?run=${id}`)
      await page.getByText('The input was not kept').waitFor()
      expect(await field('name').inputValue()).toBe('')
      expect(await lookAtAllViews(page)).toEqual([])
    })
  })
})
