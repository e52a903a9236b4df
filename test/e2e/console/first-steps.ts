/** The first steps as a newcomer takes them with the mouse, in the test and in the bench. */
import type { BrowserContext, Page } from '../browser.ts'

export const stage = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) })
export const isDone = (page: Page, title: string) => stage(page, title).getByText('Done', { exact: true }).waitFor()
export const isNext = (page: Page, title: string) => stage(page, title).getByText('Next', { exact: true }).waitFor()

/**
 * From the overview to the board's window. `actions`: what the person did, one after the other. `look`: called at each
 * stop on the way.
 */
export const takeFirstSteps = async (
  page: Page,
  context: BrowserContext,
  look: () => Promise<void> = async () => undefined,
) => {
  const actions: string[] = []
  const act = async (what: string, done: Promise<unknown>) => {
    actions.push(what)
    await done
  }
  await isNext(page, 'Run a step')
  await look()
  await act('run', page.getByRole('button', { name: /^Run “/ }).click())
  await isDone(page, 'Run a step')
  await page.getByText('View the run').waitFor()

  await isNext(page, 'Attach a trigger to an agent')
  await act('trigger', page.getByLabel('Trigger').selectOption({ label: 'Card Moved' }))
  await act('open the choices', page.getByRole('combobox', { name: /Boards/ }).click())
  await act('choose', page.getByRole('option', { name: /Launch plan/ }).click())
  await look()
  await act('attach', page.getByRole('button', { name: 'Attach to the example agent' }).click())
  await isDone(page, 'Attach a trigger to an agent')
  await isNext(page, 'Make something happen')
  await look()

  const opening = context.waitForEvent('page')
  await act('open the other window', page.getByRole('link', { name: 'Open “Sandbox board” in another window' }).click())
  const other = await opening
  const card = other.locator('.card', { hasText: 'Press kit' })
  await card.waitFor()
  return {
    actions,
    drag: () => act('drag', card.dragTo(other.getByRole('region', { name: 'Done' }).getByRole('heading'))),
    other,
  }
}
