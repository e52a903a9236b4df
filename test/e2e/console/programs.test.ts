/** Programs that people let in, as the console lists, narrows and ends them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signedInClient } from '../../oauth/world.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

describe.skipIf(chromium === undefined)('programs', () => {
  let server: Server
  let browser: Browser
  let view: Console
  beforeAll(async () => {
    server = await openServer({ oauthServer: 'on' })
    browser = await launch()
    view = await openConsole(browser, server)
    const world = { address: server.origin, token: server.token }
    await signedInClient(world, { scope: 'run read' })
    const scope = 'run:read run:write run:spend read'
    await signedInClient(world, { scope, resource: `${server.origin}/v1`, credits: '10' })
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
  })

  const grants = async () => (await server.api('GET', 'grants')).body.items as Record<string, any>[]
  const dialog = () => view.page.getByRole('dialog')
  const row = (resource: string) => view.page.getByRole('row').filter({ has: view.page.getByText(resource) })
  const openDialog = async (resource: string) => {
    await view.open('programs')
    await row(resource).getByRole('button', { name: 'Narrow' }).click()
    await dialog().getByText('Connections: keeps').waitFor()
  }
  const check = (name: string | RegExp) => dialog().getByRole('checkbox', { name })
  const save = () => dialog().getByRole('button', { name: 'Save' }).click()
  const closes = () => expect.poll(() => dialog().count()).toBe(0)

  it('lose scopes, steps, connections and credits, and the list shows what is left', async () => {
    const { page } = view
    await openDialog('/v1')
    const before = (await grants()).find(({ resource }) => resource === '/v1')!
    expect(before).toMatchObject({ scopes: ['run:read', 'run:write', 'run:spend', 'read'], monthlyCredits: 10 })
    await dialog().getByText('Steps: keeps').click()
    await dialog().getByText('Connections: keeps').click()
    expect(await lookAtAllViews(page)).toEqual([])
    await check('use tools that change something').uncheck()
    await dialog().getByLabel('Find steps').fill('get boards')
    await check(/^Get Boards/).uncheck()
    await check(/^Sandbox board/).uncheck()
    await dialog().getByLabel('Credits a month').fill('4.5')
    await save()
    await closes()
    const after = (await grants()).find(({ resource }) => resource === '/v1')!
    expect(after).toMatchObject({ scopes: ['run:read', 'run:spend', 'read'], monthlyCredits: 4.5 })
    const others = (await server.api('GET', 'connections')).body.items.filter(
      ({ integration }: { integration: string }) => integration !== 'work-board',
    )
    expect(after['connections'].toSorted()).toEqual(others.map(({ id }: { id: string }) => id).toSorted())
    expect(after['steps']).toContain('work-board/get-card')
    expect(after['steps']).not.toContain('work-board/get-boards')
    expect(after['steps']).not.toContain('work-board/create-card')
    const text = () => row('/v1').innerText()
    const names = after['connections'].map((id: string) => others.find((row: { id: string }) => row.id === id).name)
    await expect.poll(text).toContain(`only ${after['steps'].length} steps; ${names.join(', ')}`)
    expect(await text()).toMatch(
      /use tools that only read; use tools that cost credits; read what is kept here\s[\s\S]*at most 4\.5 credits/,
    )
    // Scopes, addresses and ids are in the details.
    expect(await text()).not.toMatch(/run:|grant_|con_|\/v1/)
  })

  it('that may run every step keep a choice of them, and the rest is left as it is', async () => {
    await openDialog('/mcp')
    const before = (await grants()).find(({ resource }) => resource === '/mcp')!
    expect(before).toMatchObject({ steps: null, monthlyCredits: null })
    await dialog().getByText('Steps: keeps').click()
    await dialog().getByRole('button', { name: 'Uncheck the steps shown' }).click()
    await dialog().getByLabel('Find steps').fill('get boards')
    await check(/^Get Boards/).check()
    const sent = view.page.waitForRequest((request) => request.method() === 'PATCH')
    await save()
    expect((await sent).postDataJSON()).toEqual({ steps: ['work-board/get-boards'] })
    await closes()
    const { lastUsedAt: _, ...after } = (await grants()).find(({ resource }) => resource === '/mcp')!
    expect({ ...before, ...after }).toEqual({ ...before, steps: ['work-board/get-boards'] })
    await expect.poll(() => row('/mcp').innerText()).toContain('only Get Boards')
  })

  it('are not widened: what the server refuses is said at the field', async () => {
    const { page } = view
    const before = await grants()
    await openDialog('/v1')
    const field = dialog().getByLabel('Credits a month')
    await field.fill('11')
    await save()
    await dialog().getByRole('alert').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await dialog().locator('.field-error', { hasText: 'and not more' }).waitFor()
    await field.fill('4.5')
    for (const scope of ['use tools that only read', 'use tools that cost credits', 'read what is kept here'])
      await check(scope).uncheck()
    await save()
    await dialog().getByRole('group', { name: 'Scopes' }).locator('.field-error').waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await closes()
    expect(await grants()).toEqual(before)
  })

  it('end', async () => {
    await view.open('programs')
    await row('/mcp').getByRole('button', { name: 'End' }).click()
    await dialog().getByRole('button', { name: 'End its access' }).click()
    await closes()
    await expect.poll(() => row('/mcp').count()).toBe(0)
    expect((await grants()).map(({ resource }) => resource)).toEqual(['/v1'])
  })
})
