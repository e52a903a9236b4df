/**
 * The pages of docs/console.md and README.md, each in a state worth looking at; `TOOLYARD_PICTURES=1` writes their
 * pictures.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { authorizePath, pkce, register } from '../../oauth/world.ts'
import { chromium, picture } from '../browser.ts'
import { shootViews, writeSheet } from './contact-sheet.ts'
import type { SheetPage } from './contact-sheet.ts'
import type { Browser, Page } from '../browser.ts'
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
    await expect.poll(() => view.page.locator('.loading').count()).toBe(0)
    await act?.()
    await picture(view.page, `console-${name}`, wantsPictures)
    expect(view.complaints).toEqual([])
  }
  const button = (name: string) => view.page.getByRole('button', { name, exact: true })

  beforeAll(async () => {
    server = await openServer({ oauthServer: 'on' })
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
      timeout: 30_000,
      interval: 100,
    })
    event = (await items('events')).find((row) => (row as { type?: string }).type === 'updateCard')!.id
    await show(`subscriptions/${subscription}`, 'subscription')
    await show('events', 'events', () => view.page.getByRole('link', { name: /moved/ }).first().waitFor())
    await show(`events/${event}`, 'event')
  })

  it('are what a delivery would start', async () => {
    const { body } = await server.api('GET', `events/${event}`)
    await show('events/paste', 'paste', async () => {
      await view.page
        .getByRole('textbox')
        .first()
        .fill(JSON.stringify({ action: body.raw, model: { id: body.raw.data.board.id } }))
      await view.page.getByRole('button', { name: 'Show what it would start' }).click()
      await view.page.getByText('would start').first().waitFor()
    })
  })

  it('are a connection, usage and tokens', async () => {
    await run('anz-data/company-enrichment', { domain: 'wattle.example' })
    const [connection] = await items('connections?integration=work-board')
    await show(`connections/${connection!.id}`, 'connection')
    await show('usage', 'usage', () => view.page.locator('.chart rect').first().waitFor())
    await show('operator/tokens', 'operator')
  })

  it('are the overview, and the palette above it', async () => {
    await show('', 'overview')
    await view.page.keyboard.press('Control+k')
    await view.page.keyboard.type('comment')
    await view.page
      .getByRole('option', { name: /Add Comment/ })
      .first()
      .waitFor()
    await picture(view.page, 'console-palette', wantsPictures)
    await view.page.keyboard.press('Escape')
  })

  /** What the pages of people, programs and approvals are about. */
  const bringInPeople = async () => {
    await server.api('POST', 'budgets', { scope: 'person', subject: 'mara', credits: 50, period: 'month' })
    await server.api('POST', 'steps/anz-data/company-enrichment/run', {
      person: 'mara',
      input: { domain: 'quandong-robotics.example' },
    })
    await server.api('POST', 'approval-rules', { name: 'Changes of the board', when: { effects: ['update'] } })
    const [card] = server.sandbox.board.state.cards.keys()
    await server.api('POST', 'steps/work-board/update-card/run', {
      input: { idCard: card, name: 'Ask early users for quotes and pictures' },
    })
  }
  /** Pages of the server beside the console, by their addresses. */
  const beside = (page: Page) => ({
    page,
    open: async (url: string) => {
      await page.goto(url)
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
  })
  /** What people see before they use the console or a program: to connect, to let it in, to sign in. */
  const shootOtherPages = async () => {
    const { body: connect } = await server.api('POST', 'connections/authorize', { integration: 'work-board' })
    const { body: key } = await server.api('POST', 'connections/authorize', { integration: 'anz-data' })
    const { json: client } = await register(server.origin, { client_name: 'Planning assistant' })
    const consent = server.origin + authorizePath(client['client_id'], pkce().challenge)
    const signedOut = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    const shots = [
      await shootViews(beside(view.page), { title: 'Connect an account', path: connect.url }),
      await shootViews(beside(view.page), { title: 'Connect with a key', path: key.url }),
      await shootViews(beside(view.page), { title: 'Let a program in', path: consent }),
      await shootViews(beside(signedOut), { title: 'Sign in', path: `${server.origin}/console/` }),
    ]
    await signedOut.context().close()
    return shots
  }

  it('are all on one sheet, in light, dark and on a phone', { timeout: 600_000 }, async () => {
    const first = async (path: string) => (await items(path))[0]!.id
    await bringInPeople()
    const pages: SheetPage[] = [
      { title: 'Overview', path: '' },
      { title: 'Steps', path: 'steps' },
      { title: 'Step', path: 'steps/work-board/create-card' },
      { title: 'Triggers', path: 'triggers' },
      { title: 'Attach a trigger', path: 'triggers/work-board/card-moved/attach' },
      { title: 'Subscription', path: `subscriptions/${subscription}` },
      { title: 'Agents', path: 'agents' },
      { title: 'Events', path: 'events' },
      { title: 'Event', path: `events/${event}` },
      { title: 'Paste a delivery', path: 'events/paste' },
      { title: 'Starts', path: 'starts' },
      { title: 'Start', path: `starts/${await first('starts')}` },
      { title: 'Runs', path: 'runs' },
      { title: 'Run', path: `runs/${await first('runs')}` },
      { title: 'Jobs', path: 'jobs' },
      { title: 'New job', path: 'jobs/new' },
      { title: 'Lists', path: 'lists' },
      { title: 'New list', path: 'lists/new' },
      { title: 'Approvals', path: 'approvals' },
      { title: 'Approval', path: `approvals/${await first('approvals')}` },
      { title: 'Connections', path: 'connections' },
      { title: 'Connection', path: `connections/${await first('connections?integration=work-board')}` },
      { title: 'Usage', path: 'usage', ready: (page) => page.locator('.chart rect').first().waitFor() },
      { title: 'People', path: 'people' },
      { title: 'Person', path: 'people/mara' },
      { title: 'Programs', path: 'programs' },
      ...['Tenants', 'Tokens', 'Audit', 'Keys', 'Notifications', 'Checks'].map((title) => ({
        title: `Operator: ${title}`,
        path: `operator/${title.toLowerCase()}`,
      })),
      { title: 'Operator: Limits', path: 'operator/policies' },
    ]
    const shots = []
    for (const shown of pages) shots.push(await shootViews(view, shown))
    expect(view.complaints).toEqual([])
    shots.push(...(await shootOtherPages()))
    expect(view.complaints).toEqual([])
    if (wantsPictures) await writeSheet(view, shots)
  })

  it("are the sandbox's board", async () => {
    await view.page.goto(server.sandbox.places[0]!.page!)
    await view.page.getByText('In progress').first().waitFor()
    await picture(view.page, 'console-sandbox', wantsPictures)
  })
})
