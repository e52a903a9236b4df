import { expect, it } from 'vitest'
import { readManifests } from '../../scripts/packages/manifests.ts'
import { nounOf } from '../../scripts/packages/noun.ts'
import { read } from '../docs/pages.ts'
import { stepFile, triggerFile, zapierApp, zapierApps } from '../../scripts/packages/zapier/index.ts'

/** The Zapier app as it is written; `npm run test:platforms` validates and runs it. */
const { pack, manifests } = readManifests()
const board = manifests.find(({ id }) => id === 'work-board')!

it('a create is readable code, made of its manifest', () => {
  const step = board.steps.find(({ id }) => id === 'archive-card')!
  const names = new Set(['idBoard', 'idCard'])
  const small = {
    ...step,
    layout: {
      ...step.layout,
      fields: step.layout.fields.filter(({ name }) => names.has(name)).map((field) => ({ ...field, description: '…' })),
    },
  }
  expect(stepFile(board, { ...small, purpose: 'Archives a card.', sample: { id: '695b7afc0000000000000028' } }))
    .toMatchInlineSnapshot(`
    "'use strict'
    // Generated from manifests/work-board.json by \`npm run packages\`; changes here are lost.
    const { create } = require('../toolyard.js')

    module.exports = {
      key: 'work_board_archive_card',
      noun: 'Card',
      display: { label: 'Archive Card', description: 'Archives a card.' },
      operation: {
        inputFields: [
          {
            key: 'connection',
            label: 'Connection',
            type: 'string',
            required: false,
            helpText: 'Which Work board account to use. The default account if none is chosen.',
            dynamic: 'work_board_connections.id.name',
            altersDynamicFields: true,
          },
          {
            key: 'idBoard',
            label: 'Board',
            required: false,
            helpText: '…',
            dynamic: 'work_board_archive_card_idBoard_choices.id.name',
            altersDynamicFields: true,
          },
          {
            key: 'idCard',
            label: 'Card',
            required: true,
            helpText: '…',
            dynamic: 'work_board_archive_card_idCard_choices.id.name',
            dependsOn: ['idBoard'],
          },
        ],
        perform: create({ integration: 'work-board', step: 'archive-card', fields: { idBoard: null, idCard: null } }),
        sample: { id: '695b7afc0000000000000028' },
      },
    }
    "
  `)
})

it('fields are shown on conditions, grouped in rows, and say when a step has no sample', () => {
  const step = board.steps.find(({ id }) => id === 'archive-card')!
  const field = {
    name: 'note',
    title: 'Note',
    description: 'A note.',
    control: 'text',
    required: false,
    place: 'main',
  } as const
  const conditional = {
    ...step,
    layout: {
      fields: [
        { ...field, name: 'kind' },
        { ...field, showWhen: { field: 'kind', is: ['long'] } },
      ],
      oneOf: null,
    },
  }
  const text = stepFile(board, conditional)
  expect(text).toMatch(/shownWhen\(\{ field: 'kind', is: \['long'\] \}, \[\{/)
  expect(text).toMatch(/key: 'kind',[^}]+altersDynamicFields: true/)
  const rows = {
    ...step,
    layout: {
      fields: [
        {
          ...field,
          control: 'rows' as const,
          row: { fields: [{ ...field, control: 'number' as const }], oneOf: null },
        },
      ],
      oneOf: null,
    },
  }
  expect(stepFile(board, rows)).toMatch(/children: \[\{ key: 'note', label: 'Note', required: false, type: 'number'/)
  expect(() => stepFile(board, { ...step, sample: null })).toThrow('work-board: archive-card has no sample')
})

it('a trigger subscribes, and its options are fields too', () => {
  const text = triggerFile(
    board,
    board.triggers.find(({ id }) => id === 'card-moved')!,
  )
  expect(text).toMatch(/\.\.\.hook\(\{\n\s+integration: 'work-board'/)
  expect(text).toContain("settleMs: 'seconds'")
})

it("says in Zapier's words when a trigger starts", () => {
  for (const manifest of manifests)
    for (const trigger of manifest.triggers)
      expect(triggerFile(manifest, trigger)).toMatch(/description:\s+'Triggers when (?!this happens)[a-z]/)
  const other = { ...board.triggers[0]!, purpose: 'Starts on a new card.', caveat: null }
  expect(triggerFile(board, other)).toContain("description: 'Triggers when this happens: Starts on a new card.'")
})

it.each([
  ['Archive All Cards', 'step', 'Card'],
  ['Create a Checklist Item', 'step', 'Checklist Item'],
  ['Add Comment to Card', 'step', 'Comment'],
  ['Invite to Board', 'step', 'Board'],
  ['People Enrichment', 'step', 'Person'],
  ['Search and Enrich Companies', 'step', 'Company'],
  ['API Call', 'step', 'API Call'],
  ['Search', 'step', 'Result'],
  ['Card Due Date Changed', 'trigger', 'Card Due Date'],
  ['New Label Added To Card', 'trigger', 'Label'],
  ['Mentioned in a Comment', 'trigger', 'Comment'],
  ['New Board Activity', 'trigger', 'Board Activity'],
] as const)('the noun of %s names the thing', (title, kind, noun) => {
  expect(nounOf(title, kind)).toBe(noun)
})

it('an app per integration, with one dependency, in which no label or noun repeats the name of the service', async () => {
  const files = await zapierApps({ pack, manifests })
  for (const { id, title, steps } of manifests) {
    const own = Object.entries(files).filter(([path]) => path.startsWith(`zapier-toolyard-${id}/`))
    const { [`zapier-toolyard-${id}/package.json`]: described, [`zapier-toolyard-${id}/toolyard.js`]: runtime } = files
    expect(JSON.parse(String(described)).dependencies).toEqual({
      'zapier-platform-core': expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
    const paths = own.map(([path]) => path)
    for (const step of steps)
      expect(paths).toContain(`zapier-toolyard-${id}/${step.effect === 'read' ? 'searches' : 'creates'}/${step.id}.js`)
    for (const [, content] of own) expect(String(content)).not.toMatch(new RegExp(`(?:noun|label): '${title}\\b`))
    const needed = [...String(runtime).matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)
    expect(needed).toEqual(['node:crypto'])
  }
})

it('the command that pushes the app is installed before it is used: no package has its name', async () => {
  const { 'package.json': described, 'README.md': readme } = (await zapierApp(board, pack)) as Record<string, string>
  const { dependencies } = JSON.parse(described!) as { dependencies: Record<string, string> }
  const [, section = ''] = /\n## In Zapier\n([^]*?)\n## /.exec(read('docs/platforms.md')) ?? []
  for (const text of [readme!, section]) {
    expect(text).not.toContain('npx zapier-platform')
    expect(text).toContain(`npm install --global zapier-platform-cli@${dependencies['zapier-platform-core']}`)
    for (const verb of ['login', 'register', 'push']) expect(text).toContain(`zapier-platform ${verb}`)
  }
})
