import { expect, it } from 'vitest'
import { actionFile, pieces, triggerFile } from '../../scripts/packages/activepieces/index.ts'
import { readManifests } from '../../scripts/packages/manifests.ts'

/** Pieces for Activepieces as they are written; `npm run test:platforms` runs them. */
const { pack, manifests } = readManifests()
const board = manifests.find(({ id }) => id === 'work-board')!

it('an action is readable code, made of its manifest', () => {
  const step = board.steps.find(({ id }) => id === 'archive-card')!
  const names = new Set(['idBoard', 'idCard'])
  const small = {
    ...step,
    layout: {
      ...step.layout,
      fields: step.layout.fields.filter(({ name }) => names.has(name)).map((field) => ({ ...field, description: '…' })),
    },
  }
  expect(actionFile(board, { ...small, purpose: 'Archives a card.' })).toMatchInlineSnapshot(`
    "// Generated from manifests/work-board.json by \`npm run packages\`; changes here are lost.
    import { createAction, Property } from '@activepieces/pieces-framework'
    import { auth } from '../auth'
    import { choices, connections, run } from '../common/toolyard'

    const form = { kind: 'step', integration: 'work-board', id: 'archive-card' } as const

    export const archiveCard = createAction({
      auth,
      name: 'archive_card',
      displayName: 'Archive Card',
      description: 'Archives a card.',
      audience: 'both',
      aiMetadata: { description: 'Archives a card.', idempotent: false },
      props: {
        connection: Property.Dropdown({
          displayName: 'Connection',
          description: 'Which Work board account to use. The default account if none is chosen.',
          required: false,
          auth,
          refreshers: [],
          options: connections('work-board'),
        }),
        idBoard: Property.Dropdown({
          displayName: 'Board',
          description: '…',
          required: false,
          auth,
          refreshers: ['connection'],
          refreshOnSearch: true,
          options: choices(form, 'idBoard'),
        }),
        idCard: Property.Dropdown({
          displayName: 'Card',
          description: '…',
          required: true,
          auth,
          refreshers: ['connection', 'idBoard'],
          refreshOnSearch: true,
          options: choices(form, 'idCard', { idBoard: 'Board' }),
        }),
      },
      run: run('work-board', 'archive-card', { idBoard: null, idCard: null }),
    })
    "
  `)
})

it('a trigger has its hooks, its form and a sample', () => {
  const text = triggerFile(
    board,
    board.triggers.find(({ id }) => id === 'card-moved')!,
  )
  expect(text).toContain('type: TriggerStrategy.WEBHOOK')
  expect(text).toMatch(/\.\.\.trigger\('work-board', 'card-moved', \{\n\s+config: \{ boards: null/)
  expect(text).toContain("settleMs: 'seconds'")
  expect(text).toMatch(/'Response time \(seconds\)'/)
  expect(text).not.toMatch(/\bms\b/)
  // So that the line can be put into a message before the first event.
  expect(text).toMatch(/["']?summary["']?: ['"]Card Moved['"]/)
})

it('a package of TypeScript per integration, with authors, a category and no dependencies but those of the platform', () => {
  const files = pieces({ pack, manifests })
  for (const { id, steps, triggers } of manifests) {
    const own = Object.entries(files).filter(([path]) => path.startsWith(`piece-toolyard-${id}/`))
    expect(own).toHaveLength(steps.length + triggers.length + 11)
    expect(own.filter(([path]) => path.endsWith('.js'))).toEqual([])
    const { dependencies } = JSON.parse(String(files[`piece-toolyard-${id}/package.json`])) as { dependencies: object }
    expect(Object.keys(dependencies)).toEqual(['@activepieces/pieces-framework', '@activepieces/shared'])
    const index = String(files[`piece-toolyard-${id}/src/index.ts`])
    expect(index).toContain("authors: ['toolyard'],")
    expect(index).toContain(`categories: [PieceCategory.${id.endsWith('-data') ? 'SALES_AND_CRM' : 'PRODUCTIVITY'}],`)
    // The pieces run on other servers: what they share needs nothing but Node.
    const needed = own.flatMap(([path, content]) =>
      path.includes('/common/') ? [...String(content).matchAll(/ from '([^.][^']*)'/g)].map(([, name]) => name) : [],
    )
    expect(new Set(needed)).toEqual(new Set(['node:crypto']))
  }
})
