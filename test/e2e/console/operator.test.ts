/** The operator's pages of the console. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromium } from '../browser.ts'
import type { Browser, Page } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

describe.skipIf(!chromium)('operator pages', () => {
  let server: Server
  let browser: Browser
  let view: Console
  let page: Page
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([openServer(), launch()])
    view = await openConsole(browser, server)
    ;({ page } = view)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  const section = async (name: string) => {
    await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  const looksRight = async () => {
    await page.getByText('Loading').waitFor({ state: 'detached' })
    expect(await lookAtAllViews(page)).toEqual([])
  }
  const dialog = () => page.getByRole('dialog')
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })

  it('adds a tenant, and says what is wrong with an id', async () => {
    await view.open('operator')
    await page.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor()
    await row('default').waitFor()
    await looksRight()
    await page.getByRole('button', { name: 'Add a tenant' }).click()
    await dialog().getByLabel('Name').fill('Blue <img src=x onerror=alert(1)>')
    await dialog().getByLabel('Id (optional)').fill('No Spaces')
    await dialog().getByRole('button', { name: 'Add the tenant' }).click()
    await dialog().getByRole('alert').waitFor()
    expect(await dialog().getByLabel('Id (optional)').getAttribute('aria-invalid')).toBe('true')
    await looksRight()
    await dialog().getByLabel('Id (optional)').fill('blue')
    await dialog().getByLabel('Id (optional)').press('Enter')
    await row('Blue <img src=x onerror=alert(1)>').waitFor()
    expect((await server.api('GET', 'admin/tenants')).body.items.map(({ id }: { id: string }) => id)).toContain('blue')
  })

  it('creates a token with scopes, steps, connections, a tool set and an end, and shows its text once', async () => {
    await section('Tokens')
    await page.getByRole('button', { name: 'Create a token' }).click()
    await dialog().getByLabel('Name').fill('CRM agent')
    await dialog().getByLabel('Expires').selectOption('In 30 days')
    await dialog().getByLabel('Tools').selectOption({ label: 'Core' })
    await dialog().getByLabel('Acts for the person (optional)').fill('ann')
    await dialog().getByText('Only some steps').click()
    await dialog().getByLabel('Find among the steps').fill('get boards')
    await dialog()
      .getByRole('checkbox', { name: /Get Boards/ })
      .check()
    await dialog().getByText('Only some connections').click()
    await dialog()
      .getByRole('checkbox', { name: /^Sandbox board/ })
      .check()
    await looksRight()
    await dialog().getByRole('button', { name: 'Create and copy the token' }).click()
    const field = dialog().getByLabel(/shown only now/)
    const text = await field.inputValue()
    expect(text).toMatch(/^ty_[\w-]{32}$/)
    await looksRight()
    const { items } = (await server.api('GET', 'admin/tokens')).body
    const made = items.find(({ name }: { name: string }) => name === 'CRM agent')
    expect(made).toMatchObject({
      scopes: ['run'],
      steps: ['work-board/get-boards'],
      connections: [expect.stringMatching(/^con_/)],
      toolSet: 'core',
      person: 'ann',
    })
    expect(Math.abs(Date.parse(made.expiresAt) - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000)
    await dialog().getByRole('button', { name: 'Done' }).click()
    await row('CRM agent').waitFor()
    expect(await row('CRM agent').innerText()).toMatch(
      /run steps\s+only the tool set “Core”; Get Boards .*; “Sandbox board”/,
    )
    expect(await page.locator('main').innerText()).not.toMatch(/tok_|con_/)
    expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(text)
    expect((await fetch(`${server.origin}/v1/session`, { headers: { authorization: `Bearer ${text}` } })).status).toBe(
      200,
    )
    await looksRight()

    await row('CRM agent').getByRole('button', { name: 'Revoke' }).click()
    await dialog()
      .getByText(`ends in …${text.slice(-4)}`)
      .waitFor()
    expect((await fetch(`${server.origin}/v1/session`, { headers: { authorization: `Bearer ${text}` } })).status).toBe(
      200,
    )
    await dialog().getByRole('button', { name: 'Revoke the token' }).click()
    await row('CRM agent').getByText('revoked').waitFor()
    expect((await fetch(`${server.origin}/v1/session`, { headers: { authorization: `Bearer ${text}` } })).status).toBe(
      401,
    )
  })

  it('shows the tokens of another tenant at an address of its own, without the operator’s scopes', async () => {
    await page.getByLabel('Tenant').selectOption('blue')
    await page.getByRole('heading', { name: 'This tenant has no tokens' }).waitFor()
    expect(page.url()).toContain('/operator/tokens?tenant=blue')
    await looksRight()
    await page.getByRole('button', { name: 'Create a token' }).click()
    await dialog().getByLabel('What it may do').selectOption('Scopes of my choice …')
    expect(
      await dialog()
        .getByRole('checkbox', { name: /^admin/ })
        .isDisabled(),
    ).toBe(true)
    await dialog().getByText('Only some connections').click()
    await dialog().getByLabel('Connection ids').fill('con_none')
    await dialog().getByLabel('Name').fill('Blue agent')
    await dialog().getByRole('button', { name: 'Create and copy the token' }).click()
    expect(await dialog().getByRole('alert').textContent()).toContain('There is no connection "con_none"')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  it('sets limits and API Call exceptions of a tenant, and takes them back', async () => {
    await section('Limits')
    expect(page.url()).toContain('tenant=blue')
    await page.getByLabel('Connections').fill('2')
    await page.getByText('Work board', { exact: false }).locator('visible=true').first().waitFor()
    await page.locator('summary').filter({ hasText: /board/i }).click()
    await page
      .getByRole('checkbox', { name: /\/1\/tokens\b/ })
      .first()
      .check()
    await looksRight()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const policy = async () => (await server.api('GET', 'admin/policies?tenant=blue')).body
    expect(await policy()).toEqual({
      limits: { connections: 2 },
      apiCallAllow: { 'work-board': [expect.stringContaining('/1/tokens')] },
    })
    await page.reload()
    await page.getByLabel('Connections').waitFor()
    expect(await page.getByLabel('Connections').inputValue()).toBe('2')
    await page.getByLabel('Connections').fill('')
    await page.locator('summary').filter({ hasText: '1 allowed' }).click()
    await page.getByRole('checkbox', { checked: true }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await policy()).toEqual({})
  })

  it('lists the audit trail with filters in the address, and checks its rows', async () => {
    await section('Audit trail')
    await page.getByLabel('Tenant').selectOption('default')
    await row('sessions.signIn').first().waitFor()
    await looksRight()
    const search = page.getByRole('search', { name: 'Audit trail' })
    await search.getByLabel('Outcome').fill('invalid_input')
    await search.getByLabel('Outcome').press('Enter')
    await page.getByRole('heading', { name: 'No row matches the filters' }).waitFor()
    expect(page.url()).toContain('outcome=invalid_input')
    await page.goBack()
    await row('sessions.signIn').first().waitFor()
    await page.getByText('Check that no row was changed').click()
    await page.getByRole('button', { name: 'Export the newest row' }).click()
    const head = await page.getByLabel('Number and hash of the newest row').textContent()
    expect(head).toMatch(/^\d+:[0-9a-f]{64}$/)
    await page.getByLabel('Earlier newest row (optional)').fill(head!)
    await page.getByRole('button', { name: 'Check the trail' }).click()
    await page.getByText('None of the').waitFor()
    await page.getByLabel('Earlier newest row (optional)').fill(`1:${'0'.repeat(64)}`)
    await page.getByRole('button', { name: 'Check the trail' }).click()
    await page.getByText('The audit trail was changed').waitFor()
    await looksRight()
  })

  it('shows the keys by id and rotates them', async () => {
    await section('Keys')
    const { present } = (await server.api('GET', 'admin/keys')).body
    await page.getByRole('cell', { name: 'Current key', exact: true }).waitFor()
    expect(await page.locator('main').innerText()).not.toContain(present)
    await page.getByRole('region', { name: 'Keys' }).locator('summary').first().click()
    await page.getByText(present).first().waitFor()
    await looksRight()
    await page.getByRole('button', { name: 'Rotate the key' }).click()
    await dialog().getByRole('button', { name: 'Rotate the key' }).click()
    await page.getByRole('heading', { name: 'The key was rotated' }).or(dialog().getByRole('alert')).first().waitFor()
    await looksRight()
  })

  it('sets, rotates and stops notifications; the secret is shown once', async () => {
    await section('Notifications')
    await page.getByRole('heading', { name: 'No notifications are sent for this tenant' }).waitFor()
    await looksRight()
    await page.getByLabel('Address').fill('http://10.0.0.1/hook')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Address').fill('https://platform.example/toolyard')
    await page.getByRole('checkbox', { name: /gap\.found/ }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    const secret = await page.getByLabel(/shown only now/).inputValue()
    expect(secret).toMatch(/^whsec_/)
    await looksRight()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    await dialog().getByRole('button', { name: 'Rotate the secret' }).click()
    const next = await page.getByLabel(/shown only now/).inputValue()
    expect(next).not.toBe(secret)
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(next)
    await page.getByRole('button', { name: 'Stop notifications' }).click()
    await dialog().getByRole('button', { name: 'Stop notifications' }).click()
    await page.getByRole('heading', { name: 'No notifications are sent for this tenant' }).waitFor()
  })

  it('lists what is wrong with the installation, and what to do', async () => {
    await section('Checks')
    await page.getByRole('button', { name: 'Check again' }).waitFor()
    const { items } = (await server.api('GET', 'admin/checks')).body as {
      items: { title: string; level: string }[]
    }
    expect(items.length).toBeGreaterThan(0)
    const attention = items.filter(({ level }) => level !== 'ok')
    for (const { title } of attention)
      await page
        .getByRole('heading', { level: 3, name: new RegExp(title, 'i') })
        .first()
        .waitFor()
    // What is in order is behind a fold.
    const { title } = items.find(({ level }) => level === 'ok')!
    expect(
      await page
        .getByRole('term')
        .filter({ hasText: new RegExp(`^${title}$`, 'i') })
        .isVisible(),
    ).toBe(false)
    await page.getByText('Checked and in order').click()
    await page
      .getByRole('term')
      .filter({ hasText: new RegExp(`^${title}$`, 'i') })
      .waitFor()
    await looksRight()
  })

  it('goes on at the same address after the session has ended', async () => {
    await view.open('operator/audit?outcome=ok')
    await row('sessions.signIn').first().waitFor()
    const { id } = (
      (await (
        await fetch(`${server.origin}/v1/session`, { headers: { authorization: `Bearer ${server.token}` } })
      ).json()) as any
    ).token
    await server.pack.tokens.revoke('default', id)
    await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: 'Keys' }).click()
    await page.getByText('Your session has ended').waitFor()
    const { text } = await server.pack.tokens.create('default', { name: 'Again', scopes: ['admin', 'read', 'run'] })
    await page.getByLabel('Or paste an API token').fill(text)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    expect(page.url()).toBe(`${server.origin}/console/operator/keys`)
  })

  it('complained about nothing', () => expect(view.complaints).toEqual([]))
})
