import { readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findBreaks } from './breaks.ts'
import { contractOf } from './contracts.ts'
import type { Contract } from './contracts.ts'

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const releases = readdirSync(new URL('./', import.meta.url))
  .flatMap((name) => /^(\d+\.\d+\.\d+)\.json$/.exec(name)?.[1] ?? [])
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
const last = releases.at(-1)!
const was = read(`./${last}.json`) as { [integration: string]: Contract }

/**
 * What breaks with the next release, known and said in CHANGELOG.md under "Upgrading from". Empty it when a release is
 * made. These steps cannot run with the profile `documented`, which the committed manifests show; its filters are those
 * of no endpoint.
 */
const knownBreaks: Record<string, string[]> = {
  'callers of anz-data/people-search': ['input.states is gone', 'input.companySize is gone'],
  'callers of contact-data/search-contacts': ['jobTitle', 'company', 'location', 'industry', 'role'].map(
    (field) => `input.${field} is gone`,
  ),
  'callers of contact-data/search-companies': ['industry', 'location', 'size', 'name'].map(
    (field) => `input.${field} is gone`,
  ),
}

it(`nothing breaks for users of ${last} but what the changelog says`, () => {
  const breaks: Record<string, string[]> = {}
  for (const [id, contract] of Object.entries(was))
    for (const { who, what } of findBreaks(id, contract, contractOf(read(`../../manifests/${id}.json`))))
      (breaks[who] ??= []).push(what)
  expect(breaks).toEqual(knownBreaks)
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  const [upgrading = ''] = changelog.split(`\n## ${last}\n`)
  expect(upgrading).toContain(`Upgrading from ${last}`)
  for (const fields of Object.values(knownBreaks))
    for (const what of fields) expect(upgrading).toContain(`\`${/\.(\w+) is gone/.exec(what)![1]}\``)
})

const text = { type: 'string' }
const fieldsOf = (properties: object, required: string[] = [], additionalProperties?: false) => ({
  type: 'object',
  properties,
  required,
  ...(additionalProperties === false ? { additionalProperties } : {}),
})
const step = (input: object, output: object = fieldsOf({}), more: object = {}) => ({
  version: '1.0',
  tool: 'x_do',
  effect: 'read',
  oauthScopes: ['read'],
  input,
  output,
  ...more,
})
const withStep = (stepContract: object): Contract => ({
  steps: { do: stepContract },
  triggers: {},
  connections: {},
  toolSets: ['core'],
})
const strict = (properties: object, required: string[] = []) => fieldsOf(properties, required, false)
const steps = (before: object, now: object) =>
  findBreaks('x', withStep(before), withStep(now)).map(({ who, what }) => `${who}: ${what}`)

it.each([
  ['a field that is gone', step(strict({ a: text })), step(strict({})), 'callers of x/do: input.a is gone'],
  [
    'a field that is required',
    step(strict({ a: text })),
    step(strict({ a: text }, ['a'])),
    'callers of x/do: input.a is required',
  ],
  [
    'another type',
    step(strict({ a: text })),
    step(strict({ a: { type: 'number' } })),
    'callers of x/do: input.a was string and is number',
  ],
  [
    'a type less',
    step(strict({ a: { anyOf: [text, { type: 'null' }] } })),
    step(strict({ a: text })),
    'callers of x/do: input.a was null or string and is string',
  ],
  [
    'a word less',
    step(strict({ a: { enum: ['x', 'y'] } })),
    step(strict({ a: { enum: ['x'] } })),
    'callers of x/do: input.a no longer takes "y"',
  ],
  [
    'words only',
    step(strict({ a: text })),
    step(strict({ a: { ...text, enum: ['x'] } })),
    'callers of x/do: input.a takes only "x" now',
  ],
  [
    'a lower maximum',
    step(strict({ a: { ...text, maxLength: 9 } })),
    step(strict({ a: { ...text, maxLength: 5 } })),
    'callers of x/do: maxLength of input.a was 9 and is 5',
  ],
  [
    'a minimum',
    step(strict({ a: text })),
    step(strict({ a: { ...text, minLength: 2 } })),
    'callers of x/do: minLength of input.a was not stated and is 2',
  ],
  [
    'a field of a list',
    step(strict({ a: { type: 'array', items: strict({ b: text }) } })),
    step(strict({ a: { type: 'array', items: strict({}) } })),
    'callers of x/do: input.a[].b is gone',
  ],
  [
    'an output less',
    step(strict({}), fieldsOf({ a: text })),
    step(strict({}), fieldsOf({})),
    'readers of x/do: output.a is gone',
  ],
  [
    'an output that may be absent',
    step(strict({}), fieldsOf({ a: text }, ['a'])),
    step(strict({}), fieldsOf({ a: text })),
    'readers of x/do: output.a may be absent now',
  ],
  [
    'an output of another type',
    step(strict({}), fieldsOf({ a: text })),
    step(strict({}), fieldsOf({ a: { type: ['string', 'null'] } })),
    'readers of x/do: output.a was string and is null or string',
  ],
  [
    'a new word of an output',
    step(strict({}), fieldsOf({ a: { enum: ['x'] } })),
    step(strict({}), fieldsOf({ a: { enum: ['x', 'y'] } })),
    'readers of x/do: output.a may be "y" now',
  ],
  [
    'another tool',
    step(strict({})),
    step(strict({}), fieldsOf({}), { tool: 'x_does' }),
    'hosts that approved the tool of x/do: its tool was x_do and is x_does',
  ],
  [
    'another effect',
    step(strict({})),
    step(strict({}), fieldsOf({}), { effect: 'create' }),
    'approval rules for x/do: its effect was read and is create',
  ],
  [
    'another scope',
    step(strict({})),
    step(strict({}), fieldsOf({}), { oauthScopes: ['read', 'write'] }),
    'accounts that are connected for x/do: it needs the scope "write" too',
  ],
  [
    'a field without a higher version',
    step(strict({ a: text })),
    step(strict({ a: text, b: text })),
    'platforms that compare versions of x/do: it has more fields than version 1.0, and still this version',
  ],
])('names %s, and whom it concerns', (_, before, now, said) => {
  expect(steps(before, now)).toEqual([said])
  expect(steps(before, before)).toEqual([])
})

it('names steps, triggers, connections and tool sets that are gone, and deliveries', () => {
  const nothing: Contract = { steps: {}, triggers: {}, connections: {}, toolSets: [] }
  const trigger = {
    version: '1.0',
    delivery: ['webhook', 'poll'],
    oauthScopes: null,
    config: strict({}),
    options: strict({}),
    data: fieldsOf({ a: text }),
  }
  const all: Contract = {
    steps: { do: step(strict({})) },
    triggers: { on: trigger },
    connections: { 'api-key': { secrets: null } },
    toolSets: ['core'],
  }
  expect(findBreaks('x', all, nothing).map(({ who }) => who)).toEqual([
    'callers of x/do, and tokens bound to it',
    'subscriptions to x/on',
    'accounts of x that are connected by api-key',
    'hosts that ask for the tool set core of x',
  ])
  const changed = { ...all, triggers: { on: { ...trigger, delivery: ['webhook'], data: fieldsOf({}) } } }
  expect(findBreaks('x', all, changed)).toEqual([
    { who: 'agents started by x/on', what: 'data.a is gone' },
    { who: 'subscriptions to x/on', what: 'it has no delivery by poll' },
  ])
})

it('lets fields come with a higher version', () => {
  expect(
    steps(step(strict({ a: text })), step(strict({ a: text, b: text }), fieldsOf({ c: text }), { version: '1.1' })),
  ).toEqual([])
})
