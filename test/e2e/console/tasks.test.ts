/**
 * What people come for, from the overview: by mouse and by keyboard, in a number of clicks, without an id that somebody
 * would have to type or read. To choose from a list that is open, and to type a name or an amount, is part of a click.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDataSet } from '../../../shared/sandbox/people/data-set.ts'
import { chromium } from '../browser.ts'
import type { Browser, Locator } from '../browser.ts'
import { openBusyWorld } from './busy-world.ts'
import type { BusyWorld } from './busy-world.ts'
import { launch, openConsole } from './setup.ts'
import type { Console } from './setup.ts'

describe.skipIf(chromium === undefined).each(['mouse', 'keyboard'] as const)('by %s', (device) => {
  let world: BusyWorld
  let browser: Browser
  let view: Console
  let clicks: number
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-tasks-'))

  beforeAll(async () => {
    world = await openBusyWorld()
    browser = await launch()
    view = await openConsole(browser, world.server)
  })
  afterAll(async () => {
    await view?.close()
    await browser?.close()
    await world?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await view.open('')
    await view.page.getByRole('heading', { name: 'Latest runs' }).waitFor()
    clicks = 0
  })
  afterEach(() => expect(view.complaints).toEqual([]))

  const { page, main } = {
    page: () => view.page,
    main: () => view.page.locator('main'),
  }
  const press = async (target: Locator, key = 'Enter') => {
    clicks += 1
    if (device === 'mouse') return target.click()
    await target.focus()
    await expect.poll(() => target.evaluate((element) => element === document.activeElement)).toBe(true)
    return target.press(key)
  }
  const link = (name: string | RegExp) => main().getByRole('link', { name }).first()
  const button = (name: string | RegExp) => page().getByRole('button', { name }).first()
  const goTo = async (name: string) => {
    await press(page().getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }))
    await page().getByRole('heading', { level: 1, name }).waitFor()
  }
  /** Opens a list of choices and takes the one with this text: two clicks. */
  const choose = async (name: RegExp, text: string, option: RegExp) => {
    const field = page().getByRole('combobox', { name })
    await press(field)
    await field.pressSequentially(text)
    const choice = page().getByRole('option', { name: option }).first()
    await choice.waitFor()
    if (device === 'mouse') return press(choice)
    clicks += 1
    await field.press('ArrowDown')
    return field.press('Enter')
  }
  const cards = () => [...world.board.state.cards.values()]

  it('a card is created in a list', async () => {
    const name = `Call Bob by ${device}`
    await press(link('Create Card'))
    await choose(/^List/, 'Ideas', /Ideas/)
    await expect.poll(() => page().getByRole('combobox', { name: /^List/ }).inputValue()).toContain('Ideas')
    await page().getByRole('textbox', { name: 'Name' }).fill(name)
    await press(button(/^Run$/))
    await expect.poll(() => cards().find((card) => card.name === name)?.idList).toBe(world.ids.list('Ideas'))
    expect(clicks).toBeLessThanOrEqual(4)
  })

  it('a trigger is attached to an agent, which is tested', async () => {
    await goTo('Triggers')
    await press(link('New Comment Added to Card'))
    await choose(/^Boards/, 'Launch', /Launch plan/)
    await page().getByLabel('Address of the agent').fill(world.server.sandbox.agent.url)
    await press(button('Attach'))
    await page()
      .getByText(/took it|accepts|answered 200|works/i)
      .first()
      .waitFor()
    expect(clicks).toBeLessThanOrEqual(5)
  })

  it('somebody sees why a comment started nothing', async () => {
    await goTo('Events')
    await press(link(/commented on/))
    await main()
      .getByText(/does not look for events of this kind|was attached after this happened/)
      .first()
      .waitFor()
    expect(clicks).toBeLessThanOrEqual(3)
  })

  it('somebody sees what a person spent this month', async () => {
    await goTo('People')
    await press(link(world.person))
    await main()
      .getByText(/\d credits?/)
      .first()
      .waitFor()
    expect(clicks).toBeLessThanOrEqual(2)
  })

  it('a budget is made', async () => {
    const before = (await world.items('budgets')).length
    await goTo('Usage')
    await press(button('Make a budget'))
    const dialog = page().getByRole('dialog')
    await dialog.getByLabel('Credits').fill('120')
    await press(dialog.getByRole('button', { name: /^Make/ }))
    await expect.poll(async () => (await world.items('budgets')).length).toBe(before + 1)
    expect(clicks).toBeLessThanOrEqual(3)
  })

  it('a file is looked up and its result downloaded', async () => {
    const [person] = createDataSet().people.filter(
      ({ knownTo, suppressed, workEmail }) => knownTo.includes('contact') && !suppressed && workEmail,
    )
    const path = join(folder, `${device}.csv`)
    writeFileSync(path, `Email\n${person!.workEmail}\n`)
    await goTo('Jobs')
    clicks += 1
    await page().locator('input[type="file"]').setInputFiles(path)
    await press(button(/^Read the file/))
    await press(button(/^Start/))
    const download = page().waitForEvent('download')
    await link('Download the result').waitFor()
    await press(link('Download the result'))
    await (await download).saveAs(`${path}.result`)
    expect(readFileSync(`${path}.result`, 'utf8')).toContain('toolyard_status')
    expect(clicks).toBeLessThanOrEqual(5)
  })

  it('an account is reconnected', async () => {
    await world.breakAccount()
    await goTo('Connections')
    await press(button(/^Reconnect/))
    await page().waitForURL(/\/connect\//)
    await world.fillSecrets(page())
    await press(button(/^(Connect|Reconnect|Save)/))
    await expect.poll(world.isAccountWell).toBe(true)
    expect(clicks).toBeLessThanOrEqual(3)
  })

  it('a run is repeated with a field changed', async () => {
    const name = `Call Ann by ${device}`
    await goTo('Runs')
    const row = main().getByRole('row').filter({ hasText: 'Created the card' }).first()
    await press(row.getByRole('link', { name: /Edit and run again/ }))
    const field = page().getByRole('textbox', { name: 'Name' })
    await expect.poll(() => field.inputValue()).not.toBe('')
    await field.fill(name)
    await press(button(/^Run$/))
    await expect.poll(() => cards().some((card) => card.name === name)).toBe(true)
    expect(clicks).toBeLessThanOrEqual(3)
  })

  it('a held delete is approved', async () => {
    const card = await world.holdDelete(`Old idea of the ${device}`)
    await goTo('Approvals')
    await press(
      main()
        .getByRole('listitem')
        .filter({ hasText: `Old idea of the ${device}` })
        .getByRole('button', { name: 'Approve', exact: true }),
    )
    await expect.poll(() => world.board.state.cards.has(card)).toBe(false)
    expect(clicks).toBeLessThanOrEqual(2)
  })

  it('a colleague gets a token for a tool set', async () => {
    await goTo('Tokens')
    await press(button('Create a token'))
    const dialog = page().getByRole('dialog')
    await dialog.getByLabel('Name').fill(`Colleague by ${device}`)
    clicks += 1
    await dialog.getByLabel('Tools').selectOption({ index: 1 })
    await press(dialog.getByRole('button', { name: /^Create/ }))
    await expect
      .poll(
        async () => (await world.items('admin/tokens')).find(({ name }) => name === `Colleague by ${device}`)?.toolSet,
      )
      .toBeTruthy()
    expect(clicks).toBeLessThanOrEqual(4)
  })
})
