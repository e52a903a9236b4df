import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startProvider } from '../../support/provider.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

type Row = {
  id: string
  name: string
  state: string
  isDefault: boolean
  policy: object | null
  defaultContainer: string | null
}

const anzKey = 'anz-key-of-this-test-0815'
let server: Server
let browser: Browser
let view: Console
let provider: Awaited<ReturnType<typeof startProvider>>

const rows = async (): Promise<Row[]> => (await server.api('GET', 'connections?limit=200')).body.items
const rowOf = async (name: string) => (await rows()).find((row) => row.name === name)!
/** Goes on from the provider's consent page. */
const consent = async (choice: 'Allow' | 'Deny') => {
  const { page } = view
  await page.getByRole('button', { name: 'Continue to Work board' }).click()
  await page.waitForURL(`${server.sandbox.board.origin}/**`)
  await page.getByRole('button', { name: choice }).click()
  await page.waitForURL(`${server.origin}/**`)
}
const button = (name: string | RegExp) => view.page.getByRole('button', { name, exact: typeof name === 'string' })
const openDialog = async (integration: string) => {
  await button('Connect an account').first().click()
  await view.page.getByRole('dialog').getByLabel('Integration').selectOption({ label: integration })
}
const said = () => view.page.getByRole('status').filter({ hasText: /\w/ }).allInnerTexts()
const openOne = async (name: string) => view.open(`connections/${(await rowOf(name)).id}`)
/** Nothing of these is anywhere in the page, its storage or its address. */
const expectNoSecret = async (...secrets: string[]) => {
  const all = await view.page.evaluate(
    () => document.documentElement.outerHTML + location.href + JSON.stringify({ ...localStorage, ...sessionStorage }),
  )
  for (const secret of secrets) expect(all.includes(secret), secret.slice(0, 6)).toBe(false)
}

describe.skipIf(chromium === undefined)('connections', () => {
  beforeAll(async () => {
    // Stands in for a data provider with one free endpoint and one that costs credits.
    provider = await startProvider(({ url, headers }, response) => {
      const [status, body] =
        headers['x-api-key'] !== anzKey
          ? [401, { message: 'no key' }]
          : url === '/enrich/person'
            ? [404, { error: 'Person not found' }]
            : [200, { results: [] }]
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    const over = () => ({
      'anz-data': {
        baseUrl: provider.origin,
        auth: { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } },
        endpoints: {
          'enrich-person': { probe: { values: { email: 'nobody@wattle.example' }, credits: 0 } },
          'search-people': { probe: { values: { company: 'Wattle' }, credits: 2 } },
        },
      },
    })
    server = await openServer({ connect: false, over, egress: { privateOrigins: [provider.origin] } })
    browser = await launch()
    view = await openConsole(browser, server)
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
    await provider.close()
  })

  it('says what to do while nothing is connected', async () => {
    const { page, open } = view
    await open('connections')
    await page.getByRole('heading', { name: 'No account is connected yet' }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('connects by our key page and comes back with what came of it', async () => {
    const { page } = view
    await openDialog('ANZ data')
    await page.getByLabel('Name (optional)').fill('Lookups')
    expect(await lookAtAllViews(page)).toEqual([])
    await button('Continue').click()
    await page.getByLabel('API key').fill(anzKey)
    await button('Connect').click()
    await page.getByRole('link', { name: 'Continue' }).click()
    await expect.poll(said).toEqual([expect.stringMatching(/^Lookups \(.+\) is not verified yet\. Its key is saved/)])
    expect(await page.getByRole('region', { name: 'Connections' }).innerText()).toContain('Lookups')
    await expectNoSecret(anzKey)
    await button('Dismiss').click()
    expect(new URL(page.url()).search).toBe('')
  })

  it('sets the app without showing its secret again', async () => {
    const { page } = view
    const { key, appSecret } = server.sandbox.board.credentials
    await button('Apps').click()
    await page.getByLabel('App key').fill(key)
    await page.getByLabel('App secret').fill(appSecret)
    await button('Save the app').click()
    await expect.poll(said).toEqual(['The app was saved. The previous secret still verifies deliveries.'])
    expect(await page.getByLabel('App secret').inputValue()).toBe('')
    await expectNoSecret(appSecret)
    expect(await lookAtAllViews(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect((await server.api('GET', 'apps/work-board')).body.key).toBe(key)
  })

  it('connects by OAuth and comes back; a denial comes back, too', async () => {
    const { page } = view
    await openDialog('Work board')
    await button('Continue').click()
    await consent('Deny')
    await page.getByRole('link', { name: 'Back' }).click()
    await expect.poll(said).toEqual([expect.stringContaining('No account was connected')])
    await openDialog('Work board')
    await page.getByLabel('Name (optional)').fill('Main board')
    await button('Continue').click()
    await consent('Allow')
    await page.getByRole('link', { name: 'Continue' }).click()
    await expect.poll(said).toEqual([expect.stringMatching(/^Main board \(.+\) is connected and tested as .+\.$/)])
    expect(await rowOf('Main board')).toMatchObject({ state: 'connected' })
    expect(await lookAtAllViews(page)).toEqual([])
    await expectNoSecret(...server.sandbox.board.state.tokens.keys())
  })

  it('keeps its filters in the address', async () => {
    const { page, open } = view
    await open('connections')
    const names = () => page.locator('tbody tr td:first-child').allInnerTexts()
    await expect.poll(names).toHaveLength(2)
    await page.getByLabel('State').selectOption('unverified')
    await expect.poll(names).toEqual([expect.stringContaining('Lookups')])
    await page.getByLabel('Integration').selectOption({ label: 'Work board' })
    await page.getByRole('heading', { name: 'No connection matches the filters' }).waitFor()
    await page.reload()
    expect([await page.getByLabel('State').inputValue(), new URL(page.url()).search]).toEqual([
      'unverified',
      '?state=unverified&integration=work-board',
    ])
    await button('Clear filters').click()
    await page.getByLabel('Search').fill('main')
    await expect.poll(names).toEqual([expect.stringContaining('Main board')])
  })

  it('connects the account of a person, shows whose it is, and is narrowed to them', async () => {
    const { page, open } = view
    await open('connections')
    await openDialog('Work board')
    await page.getByRole('dialog').getByLabel('Person (optional)').fill('ann')
    await page.getByLabel('Name (optional)').fill("Ann's board")
    await button('Continue').click()
    await consent('Allow')
    await page.getByRole('link', { name: 'Continue' }).click()
    await expect.poll(said).toEqual([expect.stringMatching(/^Ann's board \(.+\) is connected/)])
    const { id, person } = (await rowOf("Ann's board")) as Row & { person: string | null }
    expect(person).toBe('ann')
    const names = () => page.locator('tbody tr td:first-child').allInnerTexts()
    await open('connections')
    await page.getByRole('columnheader', { name: 'Person' }).waitFor()
    await page.getByLabel('Person').fill('ann')
    await page.getByLabel('Person').press('Enter')
    await expect.poll(names).toEqual([expect.stringContaining("Ann's board")])
    expect(new URL(page.url()).search).toBe('?person=ann')
    expect(await lookAtAllViews(page)).toEqual([])
    // Nobody said whose account a step takes, so that of the workspace is offered.
    await open('steps/work-board/get-boards')
    await expect
      .poll(() => page.getByLabel('Connection').evaluate((select: any) => select.selectedOptions[0].text))
      .toMatch(/^Main board/)
    await server.api('DELETE', `connections/${id}`)
  })

  it('shows what uses one, how its last runs ended, and its limits as they are used', async () => {
    const { page } = view
    const { id } = await rowOf('Main board')
    const run = () => server.api('POST', 'steps/work-board/get-boards/run', { connection: id, input: {} })
    const { body: boards } = await run()
    await server.api('POST', 'steps/work-board/get-card/run', {
      connection: id,
      input: { idCard: '507f1f77bcf86cd799439011' },
    })
    await server.api('POST', 'admin/tokens', { name: 'Bound agent', connections: [id] })
    const attached = await server.api('POST', 'subscriptions', {
      integration: 'work-board',
      trigger: 'new-card',
      connection: id,
      config: { boards: [boards.output.boards[0].id] },
      agent: { url: `${provider.origin}/agent` },
    })
    expect(attached.status, JSON.stringify(attached.body)).toBe(201)
    await openOne('Main board')
    const uses = page.getByRole('region', { name: 'Used by' })
    await uses.getByText('Bound agent').waitFor()
    const text = await uses.innerText()
    expect(text).toMatch(/Last success\s+Get Boards[^]*Last error\s+Get Card[^]*: ./)
    expect(await uses.getByRole('link').count()).toBe(3)
    const limits = page.getByRole('region', { name: 'Rate limits' })
    const used = async () => Number(/(\d+) of \d+ calls/.exec(await limits.innerText())?.[1] ?? 0)
    const before = await used()
    await Promise.all([run(), run(), run()])
    await expect.poll(used).toBeGreaterThan(before)
    expect(await limits.getByRole('meter').count()).toBeGreaterThan(0)
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('says what to do about a revoked credential, and reconnecting keeps its triggers', async () => {
    const { page } = view
    const { id } = await rowOf('Main board')
    const { control, state } = server.sandbox.board
    for (const token of state.tokens.values()) if (token.kind === 'oauth1') control.revokeToken({ token: token.value })
    await openOne('Main board')
    await button('Test').click()
    const note = page.getByRole('status').filter({ hasText: 'Reconnect it with the same account' })
    await note.waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await button('Reconnect').click()
    await consent('Allow')
    await page.getByRole('link', { name: 'Continue' }).click()
    await expect.poll(said).toContainEqual(expect.stringMatching(/^Main board \(.+\) is connected and tested/))
    expect(new URL(page.url()).pathname).toBe(`/console/connections/${id}`)
    expect(await note.count()).toBe(0)
    expect(await rowOf('Main board')).toMatchObject({ id, state: 'connected' })
    expect(await page.getByRole('region', { name: 'Used by' }).getByRole('link').count()).toBeGreaterThan(0)
  })

  it('says what to do about an expired token, and a new one is taken by the key page', async () => {
    const { page } = view
    const { control, state, credentials } = server.sandbox.board
    const { token } = control.issueToken({ read: true, write: true, account: true })
    await server.api('POST', 'connections', {
      integration: 'work-board',
      type: 'key-token',
      name: 'By key',
      secrets: { key: credentials.key, token },
    })
    state.tokens.get(token)!.dateExpires = '2020-01-01T00:00:00.000Z'
    await openOne('By key')
    await button('Test').click()
    await page.getByRole('status').filter({ hasText: 'Reconnect it with the same account' }).waitFor()
    await button('Reconnect').click()
    const fresh = control.issueToken({ read: true, write: true, account: true }).token
    await page.getByLabel('Token').fill(fresh)
    await button('Connect').click()
    await page.getByRole('link', { name: 'Continue' }).click()
    await expect.poll(said).toContainEqual(expect.stringMatching(/^By key \(.+\) is connected and tested/))
    await expectNoSecret(token, fresh)
  })

  it('says what to do while the provider is out of order', async () => {
    const { page } = view
    const { control } = server.sandbox.board
    control.fault({ match: {}, times: 99, answer: { status: 503, body: 'maintenance' } })
    await openOne('By key')
    await button('Test').click()
    await page.getByRole('alert').filter({ hasText: 'Try again later' }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    control.clearFaults()
    await button('Test').click()
    await expect.poll(said).toContain('Tested: the provider accepts the credential.')
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('renames, makes default, narrows, disables and enables', async () => {
    const { page } = view
    await openOne('By key')
    await button('Make default').click()
    await expect.poll(said).toContain('This is now the default connection.')
    await button('Rename').click()
    await page.getByRole('dialog').getByLabel('Name').fill('Second board')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { level: 1, name: 'Second board' }).waitFor()
    expect(await rowOf('Second board')).toMatchObject({ isDefault: true })
    await page.getByRole('heading', { name: 'What it may do' }).click()
    await page.getByLabel('DELETE').uncheck()
    await page.getByLabel('Only these paths').fill('/1/boards/**\n/1/members/me')
    await button('Load choices').click()
    const [board] = server.sandbox.board.state.boards.values()
    await page.getByLabel(board!.name).check()
    expect(await lookAtAllViews(page)).toEqual([])
    await button('Save').click()
    await expect.poll(said).toContain('Saved. The limits apply at once.')
    expect((await rowOf('Second board')).policy).toMatchObject({
      methods: ['GET', 'POST', 'PUT', 'PATCH'],
      paths: ['/1/boards/**', '/1/members/me'],
      scopes: [board!.id],
    })
    // By its name, before any choices are loaded again.
    await page.reload()
    expect(await page.getByLabel(board!.name).isChecked()).toBe(true)
    expect(await page.locator('main').innerText()).not.toContain(board!.id)
    await button('Disable').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('status').filter({ hasText: 'Enable it to use it again' }).waitFor()
    await button('Enable').click()
    await expect.poll(said).toContain('Enabled.')
    expect((await rowOf('Second board')).state).not.toBe('disabled')
  })

  it('keeps a default board, chosen by its name', async () => {
    const { page } = view
    await openOne('Main board')
    await page.getByRole('heading', { name: 'Default board' }).click()
    const board = [...server.sandbox.board.state.boards.values()].find(({ closed }) => !closed)!
    const field = page.getByRole('combobox', { name: 'Default board' })
    await field.focus()
    await page.locator(`datalist option[value="${board.name}"]`).first().waitFor({ state: 'attached' })
    await field.fill(board.name)
    await field.blur()
    expect(await lookAtAllViews(page)).toEqual([])
    await button('Save').first().click()
    await expect.poll(said).toContain('Default board saved.')
    expect((await rowOf('Main board')).defaultContainer).toBe(board.id)
    expect(await page.locator('main').innerText()).not.toContain(board.id)
    await page.getByRole('combobox', { name: 'Default board' }).fill('')
    await page.getByRole('combobox', { name: 'Default board' }).blur()
    await button('Save').first().click()
    await expect.poll(said).toContain('Default board removed.')
    expect((await rowOf('Main board')).defaultContainer).toBeNull()
  })

  it('says what stops before it revokes or removes', async () => {
    const { page } = view
    await openOne('Main board')
    await page.getByText('Bound agent').waitFor()
    await button('Revoke').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.innerText()).toMatch(
      /1 trigger no longer starts its agent: .+\.\s+1 token bound to it: Bound agent\./,
    )
    expect(await lookAtAllViews(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('status').filter({ hasText: 'Its secrets were deleted' }).waitFor()
    expect(await rowOf('Main board')).toMatchObject({ state: 'revoked' })
    await button('Remove').click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.waitForURL(`${server.origin}/console/connections`)
    expect((await rows()).map(({ name }) => name)).not.toContain('Main board')
    await view.open('connections/con_none')
    expect(await page.getByRole('alert').innerText()).toContain('There is no connection')
  })

  it('checks the wire for free, and spends only on a choice that shows the price', async () => {
    const { page } = view
    await openOne('Lookups')
    const sent = () => provider.seen.filter(({ url }) => url === '/search/people').length
    await button('Check free endpoints').click()
    const found = page.getByRole('region', { name: 'Endpoints of the wire profile' })
    await found.waitFor()
    expect(await found.innerText()).toMatch(
      /enrich-person\s+Works[^]*search-people\s+Not tried\s+Trying it may cost 2 credits/,
    )
    expect(sent()).toBe(0)
    await button('Check paid endpoints for up to 2 credits').click()
    expect(await lookAtAllViews(page)).toEqual([])
    await button('Spend up to 2 credits').click()
    await expect.poll(() => found.innerText()).toMatch(/search-people\s+Works/)
    expect(sent()).toBe(1)
    await expectNoSecret(anzKey)
  })

  it('shows a token without permission what there is, and nothing to change it with', async () => {
    const { text } = await server.pack.tokens.create('default', { name: 'Reader', scopes: ['read'] })
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${server.origin}/console/connections`)
    await page.getByLabel(/token/i).fill(text)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Lookups' }).click()
    await page.getByRole('region', { name: 'Health' }).waitFor()
    expect(await page.getByRole('button', { name: /Reconnect|Remove|Rename|Connect/ }).count()).toBe(0)
    await context.close()
  })
})
