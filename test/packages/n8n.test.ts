import { describe, expect, it } from 'vitest'
import { readManifests } from '../../scripts/packages/manifests.ts'
import type { Manifest } from '../../scripts/packages/manifests.ts'
import { formOf } from '../../scripts/packages/n8n/form.ts'
import { n8nPackage } from '../../scripts/packages/n8n/index.ts'
import { recordSpecOf } from '../../scripts/packages/n8n/records.ts'
import { readInput, withZone } from '../../scripts/packages/n8n/runtime/read-input.ts'
import { readPages, simplify } from '../../scripts/packages/n8n/runtime/records.ts'
import {
  description,
  sentenceCase,
  singular,
  titleCase,
  titleOfWord,
  whether,
} from '../../scripts/packages/n8n/words.ts'
import { read } from '../docs/pages.ts'
import { parcels } from './parcels.ts'

const { pack } = readManifests()
const generate = async (manifests: Manifest[]) => (await n8nPackage({ pack, manifests })) as Record<string, string>

describe('the n8n package', () => {
  it('is, for a small integration, what the snapshot says', async () => {
    const files = await generate([parcels])
    expect(
      Object.keys(files).filter((name) => !name.startsWith('nodes/shared/') && !name.startsWith('icons/')),
    ).toEqual([
      'package.json',
      '.npmrc',
      'tsconfig.json',
      'eslint.config.mjs',
      'README.md',
      'LICENSE.md',
      'credentials/ToolyardApi.credentials.ts',
      'nodes/ParcelPost/parcelProperties.ts',
      'nodes/ParcelPost/steps.ts',
      'nodes/ParcelPost/ParcelPost.node.ts',
      'nodes/ParcelPost/ParcelPost.node.json',
    ])
    await expect(files['nodes/ParcelPost/parcelProperties.ts']).toMatchFileSnapshot('n8n-properties.txt')
    await expect(files['nodes/ParcelPost/ParcelPost.node.ts']).toMatchFileSnapshot('n8n-node.txt')
    await expect(files['nodes/ParcelPost/steps.ts']).toMatchFileSnapshot('n8n-steps.txt')
  })

  it('has a node for each integration and its triggers, without dependencies', async () => {
    const { manifests } = readManifests()
    const files = await generate(manifests)
    const { n8n, dependencies } = JSON.parse(files['package.json']!) as {
      n8n: { nodes: string[] }
      dependencies?: object
    }
    expect(n8n.nodes.map((path) => /([^/]+)\.node\.js$/.exec(path)![1])).toEqual(
      manifests.flatMap(({ id, triggers }) => {
        const name = id.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())
        return triggers.length > 0 ? [name, `${name}Trigger`] : [name]
      }),
    )
    expect(dependencies).toBe(undefined)
    for (const path of n8n.nodes)
      expect(Object.keys(files)).toContain(path.replace(/^dist\//, '').replace(/\.js$/, '.ts'))
  })

  it('is installed without the scripts of what builds it, one of which refuses npm', async () => {
    const locked = JSON.parse(read('test/platforms/package-lock.json')) as {
      packages: { [path: string]: { hasInstallScript?: boolean } }
    }
    // Once this is false, the setting may go.
    expect(locked.packages['node_modules/eslint-plugin-n8n-nodes-base']?.hasInstallScript).toBe(true)
    expect((await generate([parcels]))['.npmrc']).toBe('ignore-scripts=true\n')
  })

  it('keeps the field of the container in its place, so that workflows in use keep its value', () => {
    const [first] = parcels.steps
    const layout = { fields: [{ ...first!.layout.fields[0]!, name: 'depot', required: false }], oneOf: null }
    const { properties, fields } = formOf({ layout, container: 'depot' }, {}, {})
    expect(properties.map(({ name }) => name)).toEqual(['depot'])
    expect(fields).toMatchObject([{ name: 'depot' }])
    expect(fields[0]).not.toHaveProperty('more')
    expect(formOf({ layout, container: null }, {}, {}).properties.map(({ name }) => name)).toEqual(['more'])
  })

  it('offers to wait for an approval where a run may be held, and for no free read', async () => {
    const { manifests } = readManifests()
    const files = await generate(manifests)
    const offered = (node: string) =>
      /waitForApproval[^]*?operation: \[([^\]]*)\]/.exec(files[`nodes/${node}/${node}.node.ts`]!)![1]
    expect(offered('WorkBoard')).toMatch(/'create-card'[^]*'delete-card'/)
    expect(offered('WorkBoard')).not.toContain("'get-lists'")
    expect(offered('AnzData')).toContain("'company-enrichment'")
  })

  it('refuses a field that is called like a parameter of every node', () => {
    const layout = { fields: [{ ...parcels.steps[0]!.layout.fields[0]!, name: 'operation' }], oneOf: null }
    expect(() => formOf({ layout, container: null }, {}, {})).toThrow(
      'The field "operation" is called like a parameter',
    )
  })
})

describe('records of version 2', () => {
  const { manifests } = readManifests()
  const specOf = (integration: string, step: string) =>
    recordSpecOf(manifests.find(({ id }) => id === integration)!.steps.find(({ id }) => id === step)!)

  it('are the entries of the only list of an output', () => {
    expect(specOf('work-board', 'get-lists')).toEqual({ list: 'lists' })
    expect(specOf('work-board', 'get-board-cards')).toMatchObject({
      list: 'cards',
      page: 5000,
      simple: ['id', 'name', 'desc', 'due', 'dueComplete', 'idList', 'idLabels', 'idMembers', 'url'],
    })
    // Several lists, a list that belongs to the record, and a step that writes.
    expect(specOf('work-board', 'search').list).toBeUndefined()
    expect(specOf('work-board', 'get-card-custom-fields').list).toBeUndefined()
    expect(specOf('work-board', 'create-cards')).toEqual({})
    // Each further page would cost credits.
    expect(specOf('contact-data', 'search-contacts').page).toBeUndefined()
  })

  it('are simplified only where there are more than ten fields', () => {
    for (const { steps } of manifests)
      for (const step of steps) {
        const { list, simple } = recordSpecOf(step)
        const sample = step.sample as Record<string, any> | null
        const record = list === undefined ? sample : sample?.[list][0]
        const count = Math.max(Object.keys(record ?? {}).length, Object.keys(record?.record ?? {}).length)
        expect([step.id, simple !== undefined]).toEqual([step.id, step.agentFields !== null && count > 10])
      }
    const card = { id: '1', badges: {}, labels: [{ id: '2', uses: 3 }], list: { id: '4', pos: 5 }, due: null }
    expect(simplify(card, ['id', 'due', 'labels.id', 'list.id', 'cover'])).toEqual({
      id: '1',
      due: null,
      labels: [{ id: '2' }],
      list: { id: '4' },
    })
  })

  it('are read page by page, and no more of them than the limit', async () => {
    const all = [1, 2, 3, 4, 5].map((id) => ({ id }))
    const sent: object[] = []
    const run = async ({ cursor = '0', limit, ...others }: Record<string, any>) => {
      sent.push({ cursor, limit, ...others })
      const end = Number(cursor) + limit
      return { cards: all.slice(Number(cursor), end), count: limit, ...(end < all.length ? { next: String(end) } : {}) }
    }
    const read = (limit?: number) => readPages(run, { idBoard: 'b' }, { list: 'cards', page: 2 }, limit)
    expect(await read()).toEqual(all)
    expect(sent).toEqual(['0', '2', '4'].map((cursor) => ({ cursor, limit: 2, idBoard: 'b' })))
    expect(await read(3)).toEqual(all.slice(0, 3))
    expect(sent.slice(3).map((request: any) => request.limit)).toEqual([2, 1])
    expect(await read(2)).toEqual(all.slice(0, 2))
    expect(sent).toHaveLength(6)
  })
})

it('links to help that exists', async () => {
  const files = await generate([parcels])
  const links = Object.values(files).flatMap((text) => [...text.matchAll(/blob\/main\/([\w/.-]+)#([\w-]+)/g)])
  expect(links.length).toBeGreaterThan(2)
  for (const [, page, anchor] of links) {
    const anchors = [...read(page!).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!.toLowerCase().replaceAll(' ', '-'),
    )
    expect(anchors).toContain(anchor)
  }
})

describe('texts', () => {
  it('are as the lint of n8n wants them', () => {
    expect(titleCase('Copy from card')).toBe('Copy From Card')
    expect(titleCase('LinkedIn address of the e-mail')).toBe('LinkedIn Address of the Email')
    expect(titleOfWord('dateLastActivity')).toBe('Date Last Activity')
    expect(sentenceCase('Create a Card')).toBe('Create a card')
    expect(sentenceCase('API Call')).toBe('Make API call')
    expect(singular('Boards and lists')).toBe('Board and List')
    expect(singular('Companies')).toBe('Company')
    expect(description('Id of the list, such as "a. b".')).toBe('ID of the list, such as "a. b"')
    expect(description('One. Two')).toBe('One. Two.')
    expect(whether('Due complete', 'Whether it counts.')).toBe('Whether it counts')
    expect(whether('Fragile', 'Handle with care.')).toBe('Whether fragile is on. Handle with care.')
  })
})

describe('what a person filled in becomes the input', () => {
  const fields = [
    { name: 'shelf', control: 'pick' },
    { name: 'title', control: 'text' },
    { name: 'note', control: 'text', more: true, empty: true },
    { name: 'size', control: 'text', more: true },
    { name: 'wait', control: 'duration', more: true, factor: 1000 },
    { name: 'codes', control: 'list', more: true },
    { name: 'stamps', control: 'pick-many', more: true },
    { name: 'sendAt', control: 'date-time', more: true },
    { name: 'custom', control: 'json', more: true },
    { name: 'fragile', control: 'switch', more: true },
    {
      name: 'items',
      control: 'rows',
      rows: [
        { name: 'what', control: 'text' },
        { name: 'count', control: 'number' },
      ],
    },
  ]
  const read = (values: Record<string, unknown>) => readInput(fields, (name) => values[name], 'Australia/Sydney')

  it('leaves out what is empty', () => {
    expect(
      read({
        shelf: { __rl: true, mode: 'list', value: '' },
        title: '',
        more: { size: '', codes: [], sendAt: '', custom: '', wait: '' },
      }),
    ).toEqual({
      items: [],
    })
  })
  it('takes values of the form and of expressions', () => {
    const more = {
      note: '',
      wait: 2,
      codes: ['a', ''],
      stamps: 'x, y',
      sendAt: '2027-01-15T09:30:00',
      custom: '{"a":1}',
      fragile: false,
    }
    expect(
      read({
        shelf: { __rl: true, mode: 'url', value: 'https://x.test/1' },
        title: 7,
        more,
        items: { rows: [{ what: 'cup', count: 2 }, { what: '' }] },
      }),
    ).toEqual({
      shelf: 'https://x.test/1',
      title: '7',
      note: '',
      wait: 2000,
      codes: ['a'],
      stamps: ['x', 'y'],
      sendAt: '2027-01-14T22:30:00.000Z',
      custom: { a: 1 },
      fragile: false,
      items: [{ what: 'cup', count: 2 }, {}],
    })
  })
  it('takes a table as JSON, and names a field whose JSON is wrong', () => {
    expect(read({ itemsSource: 'json', itemsJson: '[{"what":"cup"}]' })).toEqual({ items: [{ what: 'cup' }] })
    expect(() => read({ itemsSource: 'json', itemsJson: '[{' })).toThrow('"items" is not valid JSON')
    expect(() => read({ more: { custom: '{' } })).toThrow('"custom" is not valid JSON')
  })

  it.each([
    ['2027-07-01T12:00:00', 'Europe/Vienna', '2027-07-01T10:00:00.000Z'],
    ['2027-03-28T01:30:00', 'Europe/Vienna', '2027-03-28T00:30:00.000Z'],
    ['2027-03-28T03:30:00', 'Europe/Vienna', '2027-03-28T01:30:00.000Z'],
    ['2027-07-01', 'America/St_Johns', '2027-07-01T02:30:00.000Z'],
    ['2027-07-01T12:00:00Z', 'Europe/Vienna', '2027-07-01T12:00:00Z'],
    ['2027-07-01T12:00:00+11:00', 'Europe/Vienna', '2027-07-01T12:00:00+11:00'],
    ['tomorrow', 'Europe/Vienna', 'tomorrow'],
  ])('says the zone of %s in %s', (text, zone, expected) => {
    expect(withZone(text, zone)).toBe(expected)
  })
  it('takes dates of expressions', () => {
    expect(withZone(new Date(0), 'UTC')).toBe('1970-01-01T00:00:00.000Z')
    expect(withZone({ toISO: () => '2027-07-01T12:00:00.000+02:00' }, 'UTC')).toBe('2027-07-01T12:00:00.000+02:00')
  })
})
