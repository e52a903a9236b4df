import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../shared/store/index.ts'
import { run } from '../../store/make.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import { payloads } from './payloads.ts'
import type { Console, Server } from './setup.ts'

const store = createMemoryStore()

let server: Server
let browser: Browser
let view: Console
let ids: { fine: string; waited: string; failed: string }
let idList: string

const ran = async (step: string, input: object): Promise<{ runId: string }> => {
  const { body } = await server.api('POST', `steps/work-board/${step}/run`, { input })
  return { runId: body.meta?.runId ?? body.runId }
}

describe.skipIf(chromium === undefined)('runs', () => {
  beforeAll(async () => {
    server = await openServer({ store })
    browser = await launch()
    const { body } = await server.api('POST', 'steps/work-board/get-boards/run', { input: { lists: 'open' } })
    idList = body.output.boards[0].lists[0].id
    const { control } = server.sandbox.board
    const refusal = {
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' },
    }
    control.fault({ match: { path: `/1/lists/${idList}/cards` }, times: 1, answer: refusal })
    ids = {
      fine: body.meta.runId,
      waited: (await ran('get-list-cards', { idList })).runId,
      failed: (await ran('get-card', { idCard: '507f1f77bcf86cd799439011' })).runId,
    }
    view = await openConsole(browser, server)
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
  })

  it('lists them newest first, with outcome, waits and connection', async () => {
    const { page, open } = view
    await open('runs')
    const rows = page.getByRole('region', { name: 'Runs' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(3)
    const texts = await rows.allInnerTexts()
    expect(texts[0]).toMatch(/Get Card failed[\s\S]*Failed/)
    expect(texts[1]).toMatch(/Get List Cards[\s\S]*Done[\s\S]*refused 1 time/)
    expect(texts[2]).toMatch(/Get Boards[\s\S]*Done/)
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('keeps its filters in the address, which can be shared', async () => {
    const { page, open } = view
    await open('runs')
    const rows = page.getByRole('region', { name: 'Runs' }).locator('tbody tr')
    await page.getByLabel('Outcome').selectOption('failed')
    await expect.poll(() => rows.count()).toBe(1)
    expect(new URL(page.url()).search).toBe('?state=failed')
    await page.reload()
    await expect.poll(() => rows.count()).toBe(1)
    expect(await page.getByLabel('Outcome').inputValue()).toBe('failed')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByLabel('Step').fill('get boards')
    await page.keyboard.press('Enter')
    await expect.poll(() => rows.count()).toBe(1)
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      integration: 'work-board',
      step: 'get-boards',
    })
    expect(await page.getByLabel('Step').inputValue()).toBe('Get Boards')
    await page.getByLabel('Step').fill('card')
    await page.keyboard.press('Tab')
    await page.getByText('Several or none match “card”.').waitFor()
    expect(new URL(page.url()).searchParams.get('step')).toBe('get-boards')
    await page.getByLabel('Began').selectOption('hour')
    await expect.poll(() => new URL(page.url()).searchParams.get('period')).toBe('hour')
    await expect.poll(() => rows.count()).toBe(1)
    await open('runs?since=2030-01-01T00:00:00Z')
    await page.getByRole('heading', { name: 'No run matches the filters' }).waitFor()
    // In the zone of the reader, which is Sydney here.
    expect(await page.getByLabel('From').inputValue()).toBe('2030-01-01T11:00')
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('pages by a cursor', async () => {
    const { page, open } = view
    for (let n = 0; n < 51; n += 1) await ran('find-endpoints', { query: 'cards' })
    await open('runs?step=find-endpoints')
    const rows = page.getByRole('region', { name: 'Runs' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows.count()).toBe(51)
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
  })

  it('shows the attempts and waits of one run, with links to its step and connection', async () => {
    const { page, open } = view
    await open(`runs/${ids.waited}`)
    await page.getByRole('heading', { level: 1, name: /./ }).waitFor()
    await page.getByText('It did what the step is for.').waitFor()
    const attempts = page.locator('.time-line > li')
    expect(await attempts.count()).toBe(2)
    expect(await attempts.nth(0).innerText()).toMatch(/GET \/1\/lists\/\{id\}\/cards[\s\S]*429 rate limit used up/)
    expect(await attempts.nth(1).innerText()).toMatch(/200[\s\S]*waited [\d.]+ m?s, took/)
    expect(await page.content()).not.toContain(idList)
    expect(await page.getByRole('link', { name: 'Edit and run again' }).getAttribute('href')).toBe(
      `/console/steps/work-board/get-list-cards?run=${ids.waited}`,
    )
    const [{ id, name }] = (await server.api('GET', 'connections?integration=work-board')).body.items
    await expect
      .poll(() => page.getByRole('link', { name, exact: true }).getAttribute('href'))
      .toBe(`/console/connections/${id}`)
    expect(await lookAtAllViews(page)).toEqual([])
    await open(`runs/${ids.fine}`)
    await page.locator('.time-line > li').first().waitFor()
  })

  it('says why a run failed and what to do', async () => {
    const { page, open } = view
    await open('runs?state=failed')
    await page.getByRole('link', { name: 'Get Card failed', exact: true }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.innerText()).toMatch(/not_found/)
    await page.getByText('Check that it exists and that the connected account can see it, then run it again.').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/runs/${ids.failed}`)
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('follows a run that goes on, and cancels it', async () => {
    const { page, open } = view
    server.sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, times: 9, cut: 'hang' })
    const begun = await fetch(`${server.origin}/v1/steps/work-board/get-boards/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', prefer: 'respond-async' },
      body: '{"input":{}}',
    })
    const { runId } = (await begun.json()) as { runId: string }
    await open(`runs/${runId}`)
    await page.getByText('Running', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    const dialog = page.getByRole('dialog')
    expect(await lookAtAllViews(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel the run' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toMatch(/cancelled/)
    expect(await page.getByRole('button', { name: 'Cancel the run' }).count()).toBe(0)
    server.sandbox.board.control.clearFaults()
  })

  it('shows what a provider answered as text', async () => {
    const { page, open } = view
    const failed = (id: string, message: string) =>
      store.runs.record(
        run('default', id, {
          step: 'set-custom-fields',
          state: 'failed',
          code: 'rejected',
          connection: null,
          createdAt: Date.now(),
          failure: {
            code: 'rejected',
            message,
            retryable: false,
            actor: 'caller',
            providerMessage: message,
            errors: [{ pointer: `/input/${message}`, message: 'Wrong.' }],
          },
        }),
      )
    for (const [index, payload] of payloads.entries()) await failed(`hostile-${index}`, payload)
    await failed('hostile', payloads.join('\n'))
    await open('runs?step=set-custom-fields')
    await expect.poll(() => page.locator('.said').count()).toBe(payloads.length + 1)
    expect(await page.getByRole('region', { name: 'Runs' }).textContent()).toContain(payloads[0])
    await open('runs/hostile')
    await page.getByText('The provider said:').waitFor()
    expect(await page.locator('main').textContent()).toContain(payloads[1])
    expect(await page.evaluate(() => (globalThis as { executed?: number }).executed)).toBeUndefined()
  })

  it('names no id of its own outside of Details', async () => {
    const { page, open } = view
    for (const path of ['runs?state=failed', `runs/${ids.failed}`]) {
      await open(path)
      await page.getByText('Get Card').first().waitFor()
      await expect.poll(() => page.locator('.loading').count()).toBe(0)
      expect(await page.locator('main').innerText()).not.toMatch(/\b[0-9a-f]{24}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-/)
    }
    await page.getByText('Details', { exact: true }).click()
    await page.locator('details code', { hasText: ids.failed }).waitFor()
  })

  it('is repeated with one field changed in three clicks', async () => {
    const { page, open } = view
    await open('')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('link', { name: 'Edit and run again' }).first().click()
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
    await page.getByText('The input was not kept').waitFor()
  })

  it('shows input and output where the server keeps them, and repeats a run with them', async () => {
    const keeping = await openServer({ runContentsMs: 3_600_000 })
    const { body } = await keeping.api('POST', 'steps/work-board/get-boards/run', { input: { lists: 'open' } })
    const { page, open, close, complaints } = await openConsole(browser, keeping)
    await expect
      .poll(async () => (await keeping.api('GET', `runs/${body.meta.runId}`)).body.contents)
      .toMatchObject({ input: { lists: 'open' } })
    await open(`runs/${body.meta.runId}`)
    await page.getByRole('heading', { name: 'Input' }).waitFor()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    await page
      .getByRole('region', { name: /^Boards: / })
      .getByText(body.output.boards[0].name)
      .waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByRole('link', { name: 'Edit and run again' }).click()
    await page.getByText('The form has the input that the server kept of').waitFor()
    expect(await page.getByLabel('Lists', { exact: true }).inputValue()).toBe('open')
    expect(complaints).toEqual([])
    await close()
    await keeping.close()
  })

  it('says that a run is not there', async () => {
    await view.open('runs/none')
    await expect.poll(() => view.page.getByRole('alert').innerText()).toMatch(/There is no run "none"\./)
  })
})
