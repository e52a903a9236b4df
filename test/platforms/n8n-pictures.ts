import { launch } from '../e2e/browser.ts'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { credential, triggerOf, workflow } from './n8n-workflows.ts'
import type { Node } from './n8n-workflows.ts'
import { owner } from './n8n-server.ts'
import type { N8n } from './n8n-server.ts'

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
const chosen = (value: string, cachedResultName: string) => ({ __rl: true, mode: 'list', value, cachedResultName })

const [board, done, ideas, urgent] = [
  '695b70ac0000000000000008',
  '695b70ac0000000000000015',
  '695b70ac000000000000000f',
  '695b70ac0000000000000017',
]
const createCard: Node = {
  name: 'Create a card',
  type: 'n8n-nodes-toolyard.workBoard',
  parameters: {
    resource: 'card',
    operation: 'create-card',
    idBoard: chosen(board, 'Launch plan'),
    idList: chosen(ideas, 'Ideas'),
    name: 'Tell the printer',
    more: { due: '2027-03-31T17:00:00', idLabels: [urgent] },
  },
}
const customFields: Node = {
  name: 'Set custom fields',
  type: 'n8n-nodes-toolyard.workBoard',
  parameters: {
    resource: 'card',
    operation: 'set-custom-fields',
    idBoard: chosen(board, 'Launch plan'),
    idCard: chosen('695b7afc0000000000000028', 'Write the launch page'),
    customFields: { mappingMode: 'defineBelow', value: null, schema: [] },
  },
}

export const picturesWorkflow = () =>
  workflow(
    'launchPlan',
    triggerOf(
      { event: 'card-moved', boards: [board], more: { toLists: [done] }, options: { settleMs: 60 } },
      'Card moved to Done',
    ),
    [createCard, customFields],
  )

/** Pictures of the forms for docs/platforms.md. */
export const takePictures = async (n8n: N8n) => {
  const browser = await launch()
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 } })
  const page = await context.newPage()
  // A session belongs to one browser.
  await page.goto(`${n8n.origin}/signin`)
  await page.locator('input[name=emailOrLdapLoginId]').fill(owner.email)
  await page.locator('input[type=password]').fill(owner.password)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => !url.pathname.includes('signin'))
  const shoot = async (path: string, file: string) => {
    await page.goto(`${n8n.origin}${path}`)
    await page.getByText('Additional Fields').or(page.getByText('Server URL')).first().waitFor()
    // Choices come from the server.
    await page.waitForLoadState('networkidle')
    await page.waitForFunction('!document.body.innerText.includes("Loading")')
    await page.screenshot({ path: join(folder, `n8n-${file}.png`) })
  }
  await shoot('/workflow/launchPlan/launchPlan-0', 'trigger')
  await shoot('/workflow/launchPlan/launchPlan-1', 'step')
  await shoot('/workflow/launchPlan/launchPlan-2', 'custom-fields')
  await shoot(`/home/credentials/${credential.id}`, 'credential')
  await browser.close()
}
