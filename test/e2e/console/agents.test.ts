/** Agents: from a recipe to an agent that was tried, and one that does not work. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromium } from '../browser.ts'
import type { Browser, Page } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer, sidewaysAt360 } from './setup.ts'
import type { Console, Server } from './setup.ts'

let status = 200
const agent = createServer(async (request, response) => {
  await text(request)
  response.writeHead(status).end()
})

describe.skipIf(!chromium)('agents', () => {
  let server: Server
  let browser: Browser
  let view: Console
  let page: Page
  let url: string
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([openServer(), launch()])
    view = await openConsole(browser, server)
    ;({ page } = view)
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/start`
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    agent.close()
  })
  const looksRight = async () => expect(await lookAtAllViews(page)).toEqual([])

  it('begin with a worked one, which has the address of this server', async () => {
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('heading', { name: 'No agent is started yet' }).waitFor()
    await page.getByRole('heading', { name: 'Make a card when a comment is added' }).waitFor()
    for (const title of ['Node', 'Python', 'MCP host', 'n8n']) {
      await page.getByRole('tab', { name: title }).click()
      expect(await page.getByLabel(`Agent for ${title}`).innerText()).toContain(server.origin)
    }
    expect(await page.locator('main .button.primary').allInnerTexts()).toEqual(['Attach a trigger'])
    await looksRight()
  })

  it('lead from the recipe to a trigger, a sample and the page of the agent, without a dead end', async () => {
    await page.getByRole('link', { name: 'Attach “New Comment Added to Card”' }).click()
    await page.getByRole('heading', { level: 1, name: 'New Comment Added to Card' }).waitFor()
    await page.getByRole('combobox', { name: /^Boards/ }).click()
    await page.getByRole('option', { name: /Launch plan/ }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('Address of the agent').fill(url)
    await page.getByLabel('Id of the agent').fill('scribe')
    await page.getByRole('button', { name: 'Attach', exact: true }).click()
    await page.getByLabel(/Signing secret/).waitFor()
    await page.getByRole('tab', { name: 'Node' }).waitFor()
    await page.getByRole('button', { name: 'Send a sample' }).click()
    // Its address is called once when the trigger is attached, and the sample is a start: each has an answer of its own.
    for (const outcome of ['works', 'taken'])
      await page
        .getByRole('status')
        .filter({ hasText: `${outcome} The agent answered 200` })
        .waitFor()
    await looksRight()
    await page.getByRole('link', { name: 'Open the agent' }).click()
    await page.getByRole('heading', { level: 1, name: 'scribe' }).waitFor()
    await page.getByText('Well: it took its last start').waitFor()
    expect(await page.getByRole('table', { name: 'Last answers' }).innerText()).toMatch(/200[\s\S]*sample/)
    await looksRight()
  })

  it('get a new secret there', async () => {
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click()
    expect(await page.getByLabel(/Signing secret/).inputValue()).toMatch(/^whsec_/)
  })

  it('that refuse starts look dead: here, at their trigger and on the overview', async () => {
    status = 500
    await page.getByRole('button', { name: 'Send a sample' }).click()
    await page.getByText('The agent answered 500').first().waitFor()
    await page.getByText('It refuses starts since').waitFor()
    await looksRight()
    await page.getByRole('link', { name: 'All agents' }).click()
    expect(await page.getByRole('table', { name: 'Agents' }).innerText()).toMatch(/scribe[\s\S]*refuses starts/)
    expect(await sidewaysAt360(page, 'Agents')).toBe(0)
    await looksRight()
    const { items } = (await server.api('GET', 'subscriptions')).body as { items: { id: string }[] }
    await view.open(`subscriptions/${items[0]!.id}`)
    await page.getByText('Its agent refuses starts since').waitFor()
    await looksRight()
    await view.open('')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'The agent scribe refuses starts' })
      .getByRole('link', { name: 'Test it' })
      .click()
    status = 200
    await page.getByRole('button', { name: 'Send a sample' }).click()
    await page.getByText('Well: last start').waitFor()
    expect(view.complaints).toEqual([])
  })

  it('that nothing starts any more say so', async () => {
    await view.open('agents?agent=nobody')
    await page.getByRole('heading', { name: 'Nothing starts this agent' }).waitFor()
    await looksRight()
  })
})
