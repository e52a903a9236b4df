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
    "'use strict'
    // Generated from manifests/work-board.json by \`npm run packages\`; changes here are lost.
    const { createAction, Property } = require('@activepieces/pieces-framework')
    const { auth } = require('../auth.js')
    const { choices, connections, run } = require('../toolyard.js')

    const form = { kind: 'step', integration: 'work-board', id: 'archive-card' }

    exports.archiveCard = createAction({
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

it('a package per integration, with one dependency', async () => {
  const files = await pieces({ pack, manifests })
  for (const { id, steps, triggers } of manifests) {
    const own = Object.keys(files).filter((path) => path.startsWith(`piece-toolyard-${id}/`))
    expect(own).toHaveLength(steps.length + triggers.length + 5)
    expect(Object.keys(JSON.parse(String(files[`piece-toolyard-${id}/package.json`])).dependencies)).toEqual([
      '@activepieces/pieces-framework',
    ])
    // The pieces run on other servers: what they share needs nothing but Node.
    const needed = [...String(files[`piece-toolyard-${id}/src/toolyard.js`]).matchAll(/require\("([^"]+)"\)/g)].map(
      ([, name]) => name,
    )
    expect(needed).toEqual(['node:crypto'])
  }
})
