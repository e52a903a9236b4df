import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../../shared/runtime/catalogue/manifest.ts'
import { columnsOf, readOutput } from '../../../shared/faces/console/pages/steps/readable.ts'
import type { Readable, Reading } from '../../../shared/faces/console/pages/steps/readable.ts'
import { isBlank, isIdValue, namesIn, valueAt } from '../../../shared/faces/console/pages/steps/records.ts'
import { titlesFor } from '../../../shared/faces/console/pages/steps/titles.ts'

const titleOf = titlesFor(undefined, undefined)
const read = (output: unknown, fields: string[] | null = null, names = new Map<string, string>()) =>
  readOutput(output, fields, { titleOf, names: new Map([...names, ...namesIn(output)]) })
const said = ({ facts }: Pick<Readable, 'facts'>) => facts.map(({ title, value }) => [title, value])

const id = (at: number) => `507f1f77bcf86cd7994390${at}`

describe('an output that is a record', () => {
  const ticket = {
    id: id(10),
    title: 'Broken pump',
    htmlUrl: 'https://desk.example/7',
    idQueue: id(11),
    idTags: [id(12), id(13)],
    tags: [
      { id: id(12), name: 'Urgent' },
      { id: id(13), name: 'Leak' },
    ],
    body: '',
    votes: 0,
    closed: false,
    limits: { daily: {} },
  }

  it('has its name, its page and its facts; what is empty or only an id is left out', () => {
    const { things } = read(ticket)
    expect(things).toHaveLength(1)
    expect(things[0]).toMatchObject({ name: 'Broken pump', link: 'https://desk.example/7', id: id(10) })
    expect(said(things[0]!)).toEqual([
      ['Tags', ['Urgent', 'Leak']],
      ['Votes', 0],
      ['Closed', false],
    ])
  })

  it('has the fields that agents get, in their order, and ids by the names that are known', () => {
    const { things } = read(ticket, ['id', 'closed', 'title', 'idQueue', 'htmlUrl'], new Map([[id(11), 'Plumbing']]))
    expect(said(things[0]!)).toEqual([
      ['Closed', false],
      ['Queue', 'Plumbing'],
    ])
  })

  it('never has half of the names of a list of ids', () => {
    const { things } = read(
      { id: id(10), name: 'A', idTags: [id(12), id(99)] },
      ['idTags'],
      new Map([[id(12), 'Urgent']]),
    )
    expect(said(things[0]!)).toEqual([])
  })
})

describe('an output with something in it', () => {
  const found = {
    matched: true,
    matchedBy: 'domain',
    record: {
      id: 'co-1',
      name: 'Wattlebird',
      website: 'https://wattle.example',
      domain: 'wattle.example',
      city: 'Sydney',
    },
    raw: { anything: 1 },
  }
  const fields = ['matched', 'matchedBy', 'record.id', 'record.name', 'record.website', 'record.domain', 'record.city']

  it('a lookup: how it was found, and the record that was found', () => {
    const { facts, things } = read(found, fields)
    expect(said({ facts })).toEqual([
      ['Matched', true],
      ['Matched by', 'domain'],
    ])
    expect(things[0]).toMatchObject({ name: 'Wattlebird', link: 'https://wattle.example' })
    expect(said(things[0]!)).toEqual([
      ['Domain', 'wattle.example'],
      ['City', 'Sydney'],
    ])
  })

  it('a list: its rows, with the columns that agents get first', () => {
    const row = (name: string, city: string) => ({ record: { id: name, name, city, phone: '' }, raw: { rank: 1 } })
    const { facts, lists } = read({ results: [row('A', 'Sydney'), row('B', '')], total: 2, next: 'mark' }, [
      'results.record.name',
      'results.record.city',
      'results.record.phone',
      'total',
      'next',
    ])
    expect(said({ facts })).toEqual([['Total', 2]])
    expect(lists).toHaveLength(1)
    expect(lists[0]).toMatchObject({ name: 'results', title: 'Results', inner: 'record' })
    const { all, usual } = columnsOf(lists[0]!)
    expect(usual).toEqual(['record.city'])
    expect(all).toEqual(expect.arrayContaining(['record.city', 'record.name', 'record.id', 'raw.rank']))
    expect(all).not.toContain('record.phone')
  })

  it('a list of one record is that record', () => {
    const { things, lists } = read({ found: 'one', rows: [{ name: 'Only', url: 'https://x.example' }] })
    expect(things).toMatchObject([{ name: 'Only', link: 'https://x.example' }])
    expect(lists).toEqual([])
  })

  it('nothing: no facts, no lists', () => {
    for (const output of [null, 'text', 3, [], {}]) expect(read(output)).toEqual({ facts: [], things: [], lists: [] })
  })
})

it('a field is called as the schema of the output says, then as the form does, then by its name', () => {
  const manifest = JSON.parse(readFileSync('manifests/anz-data.json', 'utf8')) as Manifest
  const titles = (id: string) =>
    titlesFor(
      manifest,
      manifest.steps.find((step) => step.id === id),
    )
  const ofPerson = titles('people-enrichment')
  expect(ofPerson('record.linkedinUrl')).toBe('LinkedIn')
  expect(ofPerson('record.companyAbn')).toBe('Company ABN')
  expect(ofPerson('record.fullName')).toBe('Person')
  expect(ofPerson('record.companyDomain')).toBe('Company domain')
  expect(titles('company-enrichment')('record.nzbn')).toBe('NZBN')
  expect(titlesFor(undefined, undefined)('record.nzbn')).toBe('Nzbn')
})

describe('of every step, the sample', () => {
  const manifests = readdirSync('manifests')
    .filter((name) => name.endsWith('.json') && name !== 'pack.json' && !name.includes('schema'))
    .map((name) => JSON.parse(readFileSync(`manifests/${name}`, 'utf8')) as Manifest)
  const steps = manifests.flatMap((manifest) => manifest.steps.map((step) => ({ manifest, step })))

  it.each(steps.map(({ manifest, step }) => [`${manifest.id}/${step.id}`, manifest, step] as const))(
    '%s shows something, nothing empty, and no id',
    (_, manifest, step) => {
      const reading: Reading = { titleOf: titlesFor(manifest, step), names: namesIn(step.sample) }
      const { facts, things, lists } = readOutput(step.sample, step.agentFields, reading)
      if (!isBlank(step.sample)) expect(facts.length + things.length + lists.length).toBeGreaterThan(0)
      for (const { title, value } of [...facts, ...things.flatMap((thing) => thing.facts)]) {
        expect(isBlank(value)).toBe(false)
        expect(title).not.toBe('')
        for (const item of Array.isArray(value) ? value : [value]) expect(isIdValue(item)).toBe(false)
      }
      for (const list of lists)
        for (const path of columnsOf(list).usual)
          expect(list.rows.some((row) => isIdValue(valueAt(row, path)))).toBe(false)
    },
  )
})
