/**
 * The pages of docs/console.md and README.md, each in a state worth looking at; `TOOLYARD_PICTURES=1` writes their
 * pictures.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { chromium, picture } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { launch, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

const wantsPictures = process.env['TOOLYARD_PICTURES'] === '1'

describe.skipIf(chromium === undefined)('the pages that are shown in the documents', () => {
  let server: Server
  let browser: Browser
  let view: Console
  let subscription: string
  let event: string

  const run = async (step: string, input: object) =>
    (await server.api('POST', `steps/${step}/run`, { input })).body.output
  const items = async (path: string) => (await server.api('GET', path)).body.items as { id: string }[]
  const show = async (path: string, name: string, act?: () => Promise<unknown>) => {
    await view.open(path)
    await expect.poll(() => view.page.locator('.loading').count(), { timeout: 10_000 }).toBe(0)
    await act?.()
    await picture(view.page, `console-${name}`, wantsPictures)
    expect(view.complaints).toEqual([])
  }
  const button = (name: string) => view.page.getByRole('button', { name, exact: true })

  beforeAll(async () => {
    server = await openServer()
    browser = await launch()
    view = await openConsole(browser, server, { width: 1120, height: 720 })
  })
  afterAll(async () => {
    await view.close()
    await browser.close()
    await server.close()
  })

  it('are the overview of a new installation', () =>
    show('', 'first-run', () => view.page.getByText('First steps').waitFor()))

  it('are the list of steps', () =>
    show('steps?query=comment', 'steps', () => view.page.getByRole('link', { name: 'Add Comment to Card' }).waitFor()))

  it('are a step with its result', () =>
    show('steps/work-board/get-boards', 'step', async () => {
      await button('Run').click()
      await view.page.getByRole('tab', { name: 'Tree' }).waitFor()
    }))

  it('are a trigger that is attached', () =>
    show('triggers/work-board/card-moved/attach', 'attach', () =>
      view.page.getByRole('heading', { name: 'Sample event' }).waitFor(),
    ))

  it('are a subscription, events and what they started', async () => {
    const { boards } = await run('work-board/get-boards', { lists: 'open' })
    const { id: board } = boards[0]
    const made = await server.api('POST', 'subscriptions', {
      integration: 'work-board',
      trigger: 'card-moved',
      config: { boards: [board] },
      agent: { id: 'planner', url: server.sandbox.agent.url },
    })
    subscription = made.body.id
    // A person moves two cards.
    const { control } = server.sandbox.board
    const lists = control.overview().find(({ id }) => id === board)!.lists
    for (const { id } of lists[0]!.cards.slice(0, 2))
      control.moveCard({ by: 'odettequill', idCard: id, idList: lists[1]!.id })
    await run('work-board/create-card', { idList: lists[0]!.id, name: 'Call the printer about the second proof' })
    await vi.waitFor(async () => expect(await items('starts?state=done')).toHaveLength(2), {
      timeout: 20_000,
      interval: 100,
    })
    event = (await items('events')).find((row) => (row as { type?: string }).type === 'updateCard')!.id
    await show(`subscriptions/${subscription}`, 'subscription')
    await show('events', 'events', () => view.page.getByRole('link', { name: 'updateCard' }).first().waitFor())
    await show(`events/${event}`, 'event')
  })

  it('are what a delivery would start', async () => {
    const { body } = await server.api('GET', `events/${event}`)
    await show('events/paste', 'paste', async () => {
      await view.page
        .getByRole('textbox')
        .first()
        .fill(JSON.stringify({ action: body.raw, model: { id: body.raw.data.board.id } }))
      await view.page.getByRole('button', { name: /^(Preview|Show)/ }).click()
      await view.page.getByText('Card Moved').first().waitFor()
    })
  })

  it('are a connection, usage and tokens', async () => {
    await run('anz-data/company-enrichment', { domain: 'wattle.example' })
    const [connection] = await items('connections?integration=work-board')
    await show(`connections/${connection!.id}`, 'connection')
    await show('usage', 'usage', () => view.page.locator('canvas').waitFor())
    await show('operator/tokens', 'operator')
  })

  it("are the sandbox's board", async () => {
    await view.page.goto(server.sandbox.places[0]!.page!)
    await view.page.getByText('In progress').first().waitFor()
    await picture(view.page, 'console-sandbox', wantsPictures)
  })
})
