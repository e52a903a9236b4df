import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from '#kit'
import type { ApiOperation, ExampleFile, Integration, Step, Trigger, TriggerExampleFile, WireProfile } from '#kit'
import starter from '../scripts/starter/manifest.ts'
import { replay } from './contract/replay.ts'
import { replayTrigger } from './contract/replay-trigger.ts'
import { operationProblems } from './contract/operations.ts'
import { structureProblems } from './contract/structure.ts'
import type { Subject } from './contract/structure.ts'
import issueDesk from './fixtures/issue-desk/manifest.ts'
import { stayOffline } from './support/offline.ts'

stayOffline()

const root = fileURLToPath(new URL('../', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'toolyard-contract-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

type Made = { integration: Integration; folder: string }
/** Copies of the folders whose examples and files a case may change. */
const copies = { starter: 0 }
const copyOf = (source: string, id: string): string => {
  const folder = join(work, String((copies.starter += 1)), id)
  cpSync(join(root, source), folder, { recursive: true })
  return folder
}
const ofStarter = (): Made => ({ integration: { ...starter }, folder: copyOf('scripts/starter', 'starter') })
const ofDesk = (): Made => ({ integration: { ...issueDesk }, folder: copyOf('test/fixtures/issue-desk', 'issue-desk') })

/** The integration with its first step, or first trigger, changed. A schema is changed when it is first read. */
const withStep = (made: Made, change: object): Made => {
  const [first, ...others] = made.integration.steps
  const step = Object.create(first!, Object.getOwnPropertyDescriptors(change)) as Step
  const keys = Object.keys(first!) as (keyof Step)[]
  const whole = Object.fromEntries(keys.map((key) => [key, step[key]])) as unknown as Step
  return { ...made, integration: { ...made.integration, steps: [{ ...whole, ...change }, ...others] } }
}
const withTrigger = (made: Made, change: object): Made => {
  const [first, ...others] = made.integration.triggers!
  return {
    ...made,
    integration: { ...made.integration, triggers: [{ ...first!, ...change } as Trigger, ...others] },
  }
}
const withWire = (made: Made, change: object): Made => ({
  ...made,
  integration: { ...made.integration, wire: { ...made.integration.wire, ...change } as WireProfile },
})
const withManifest = (made: Made, change: object): Made => ({
  ...made,
  integration: { ...made.integration, ...change } as Integration,
})

const exampleIn = ({ folder }: Made, name: string) => join(folder, 'examples', `${name}.json`)
const editExample = (made: Made, name: string, edit: (file: any) => void): Made => {
  const file = JSON.parse(readFileSync(exampleIn(made, name), 'utf8')) as object
  edit(file)
  writeFileSync(exampleIn(made, name), JSON.stringify(file))
  return made
}
const editFile = (made: Made, name: string, more: string): Made => {
  const path = join(made.folder, name)
  writeFileSync(path, `${existsSync(path) ? readFileSync(path, 'utf8') : ''}${more}`)
  return made
}
const without = (made: Made, name: string): Made => {
  rmSync(join(made.folder, name))
  return made
}

/** What each mistake is told: integration, place and remedy. */
const mistakes: [string, () => Made, string][] = [
  [
    'another id',
    () => withManifest(ofStarter(), { id: 'other' }),
    'other: The folder "starter" and the id "other" in manifest.ts differ: make them equal.',
  ],
  [
    'a bad id',
    () => withManifest(ofStarter(), { id: 'Star ter' }),
    'Star ter: manifest.ts: the id "Star ter" is not kebab-case. Write it in lower-case',
  ],
  [
    'a long summary',
    () => withManifest(ofStarter(), { summary: `A${'b'.repeat(170)}.` }),
    'starter: manifest.ts: the summary has 172 characters, at most 160 are shown in lists. Shorten it.',
  ],
  ['no summary', () => withManifest(ofStarter(), { summary: '' }), 'starter: manifest.ts: the summary is one sentence'],
  [
    'no version',
    () => withManifest(ofStarter(), { version: '1' }),
    'starter: manifest.ts: the version "1" is not of the form major.minor.patch. Begin with 0.1.0.',
  ],
  [
    'a step twice',
    () => withManifest(ofStarter(), { steps: [...starter.steps, starter.steps[0]!] }),
    'starter: manifest.ts: steps has "create-item" twice. Remove one',
  ],
  [
    'a step not listed',
    () => withManifest(ofStarter(), { steps: starter.steps.slice(1) }),
    "starter: steps/create-item.ts is not in the manifest's steps: import it in manifest.ts and list it.",
  ],
  [
    'a step without a file',
    () => without(ofStarter(), 'steps/create-item.ts'),
    'starter: steps/create-item.ts does not exist: a step\'s file is named after its id "create-item".',
  ],
  [
    'another title',
    () => withStep(ofStarter(), { title: 'Make Item' }),
    'starter: steps/create-item.ts: the id is the kebab-case of the title; "Make Item" gives "make-item".',
  ],
  [
    'a poor purpose',
    () => withStep(ofStarter(), { purpose: 'creates' }),
    'starter: steps/create-item.ts: "purpose" is one sentence for an agent',
  ],
  [
    'a long purpose',
    () => withStep(ofStarter(), { purpose: `C${'r'.repeat(205)}.` }),
    'starter: steps/create-item.ts: the purpose has 207 characters, at most 200 are shown in lists.',
  ],
  [
    'an unknown icon',
    () => withStep(ofStarter(), { icon: 'card-ad' }),
    'starter: steps/create-item.ts: there is no icon "card-ad". Did you mean "card-add"? Take one of manifests/icons/steps',
  ],
  [
    'a field without description',
    () => withStep(ofStarter(), { input: z.strictObject({ name: z.string() }) }),
    'starter: steps/create-item.ts: its input /name has no description. Every model host takes flat fields',
  ],
  [
    'a field of two types',
    () =>
      withStep(ofStarter(), {
        input: z.strictObject({ name: z.union([z.string(), z.number()]).meta({ description: 'Name of it' }) }),
      }),
    'starter: steps/create-item.ts: its input /name has several types. Every model host takes flat fields',
  ],
  [
    'options of no field',
    () => withStep(ofStarter(), { fields: { list: {} } }),
    'starter: steps/create-item.ts: fields.list is not in the input; remove it or add the input field.',
  ],
  [
    'a wrong dependency',
    () => withStep(ofStarter(), { fields: { name: { dependsOn: ['list'] } } }),
    'starter: steps/create-item.ts: fields.name.dependsOn names "list", which is not in the input. Name a field of the input.',
  ],
  [
    'agent fields that are not there',
    () => withStep(ofStarter(), { agentFields: ['nam'] }),
    'starter: steps/create-item.ts: agentFields names "nam", which neither its output nor its examples have. Correct',
  ],
  [
    'a successor that is not there',
    () => withStep(ofStarter(), { deprecated: { since: '0.1.0', use: 'gone' } }),
    'starter: steps/create-item.ts: "use" names "gone", which is not there. Name one that is there and stays.',
  ],
  [
    'no example',
    () => without(ofStarter(), 'examples/create-item.json'),
    'starter: examples/create-item.json does not exist: every step has examples. Record one: toolyard record starter create-item',
  ],
  [
    'no case',
    () => editExample(ofStarter(), 'create-item', (file) => (file.cases = [])),
    'starter: examples/create-item.json has no case with an output. Record a run that succeeds.',
  ],
  [
    'output and failure',
    () => editExample(ofStarter(), 'create-item', (file) => (file.cases[0].failure = { code: 'not_found' })),
    'starter: examples/create-item.json, "Creates an item": give exactly one of output and failure.',
  ],
  [
    'an example of another step',
    () => editExample(ofStarter(), 'create-item', (file) => (file.step = 'other')),
    'starter: examples/create-item.json says step "other": the file is named after the step. Rename one of them.',
  ],
  [
    'an example of nothing',
    () => editFile(ofStarter(), 'examples/gone.json', '{"cases":[]}'),
    'starter: examples/gone.json names neither a step nor a trigger. Begin it with "step" or "trigger".',
  ],
  [
    'no placement',
    () => withWire(ofStarter(), { auth: {} }),
    'starter: wire.ts: auth has no entry for connection type "token"; give a placement or null.',
  ],
  [
    'an unused placement',
    () => withWire(ofStarter(), { auth: { ...starter.wire.auth, key: { place: 'header', fields: { A: '{key}' } } } }),
    'starter: wire.ts: no connection type uses auth.key. Add the type to manifest.ts, or remove it.',
  ],
  [
    'a reason for nothing',
    () => withWire(ofStarter(), { assumed: { 'pace.points': 'Guessed.' } }),
    'starter: wire.ts: assumed explains "pace.points", which is not there. Remove the reason',
  ],
  [
    'a field that profiles do not have',
    () => withWire(ofStarter(), { baseURL: 'https://x.example' }),
    'starter: wire.ts:',
  ],
  [
    'an endpoint that nothing uses',
    () =>
      withWire(ofStarter(), {
        endpoints: { 'find-people': { method: 'GET', path: '/v1/search', place: 'query', fields: {}, noMatch: [] } },
      }),
    'starter: wire.ts: no step uses the endpoint "find-people". Name it in the `endpoints` of a step, or remove it.',
  ],
  [
    'a schema that nothing uses',
    () => editFile(ofStarter(), 'records.ts', '\nexport const label = () => z.string()\n'),
    'starter: records.ts: nothing uses "label". Remove it, or use it.',
  ],
  [
    'a find without its actor',
    () => editExample(ofStarter(), 'new-item', (file) => delete file.cases[0].found[0].actor),
    'own events cannot be recognised. Give actor in what polls find, and in "found" of the example, or set `writeMark`',
  ],
  [
    // The mark that a written step has until its author did what it says.
    'a task that is left',
    () => editFile(ofStarter(), 'records.ts', '\n/* TODO: add effectSource. */\n'),
    'starter: records.ts: a "TODO" is left. Do it and remove the note: add effectSource.',
  ],
  [
    'an option source that nothing uses',
    () => editFile(ofStarter(), 'options.ts', 'export const lists = () => []\n'),
    'starter: options.ts: nothing uses "lists". Remove it, or use it.',
  ],
  [
    'a trigger that waits for nothing',
    () => withTrigger(ofStarter(), { poll: undefined }),
    'starter: triggers/new-item.ts: give webhook, poll or both',
  ],
  [
    'a loss that is not said',
    () => withTrigger(ofStarter(), { recoverable: 'some', caveat: undefined }),
    'starter: triggers/new-item.ts: some of its events cannot be recovered. Say in "caveat" what people may miss, or give the reason in "whyLost"',
  ],
  [
    'a loss of which only a part is explained',
    () => {
      const subject = withTrigger(ofStarter(), { recoverable: 'some', caveat: undefined, webhookOnly: ['a', 'b'] })
      const source = { webhookOnly: ['a', 'b'], whyWebhookOnly: { a: 'Not kept.' } }
      return { ...subject, integration: { ...subject.integration, webhooks: source as never } }
    },
    'starter: triggers/new-item.ts: some of its events cannot be recovered. Say in "caveat" what people may miss, or give the reason in "whyLost"',
  ],
  [
    'data without description',
    () => withTrigger(ofStarter(), { data: z.object({ id: z.string() }) }),
    'starter: triggers/new-item.ts: data.id has no description. Say what it is',
  ],
  [
    'no trigger example',
    () => without(ofDesk(), 'examples/new-comment.json'),
    'issue-desk: examples/new-comment.json does not exist: every trigger has examples. Record one: toolyard record issue-desk new-comment',
  ],
  [
    'no example of a polled trigger',
    () => without(ofStarter(), 'examples/new-item.json'),
    'starter: examples/new-item.json does not exist: every trigger has examples. Write one by hand, with a "scan"',
  ],
  [
    'no case that starts nothing',
    () =>
      editExample(
        ofDesk(),
        'new-comment',
        (file) => (file.cases = file.cases.filter(({ data }: { data: unknown }) => data !== null)),
      ),
    'issue-desk: examples/new-comment.json has no case that starts nothing. Add one with "data": null.',
  ],
  [
    'a trigger by webhook without webhooks',
    () => withManifest(ofDesk(), { webhooks: undefined }),
    'a trigger by webhook needs "webhooks" in manifest.ts.',
  ],
]

describe('the message', () => {
  it('of an operation that reads by POST names integration, file and remedy', async () => {
    const subject = ofDesk()
    const search: ApiOperation = { method: 'POST', path: '/search', title: 'Search', effect: 'read', parameters: [] }
    const withSearch = (more: Partial<ApiOperation>) => ({
      integration: { ...subject.integration, operations: async () => [{ ...search, ...more }] },
    })
    expect(await operationProblems(withSearch({}))).toEqual([
      'issue-desk: manifest.ts, operations: POST /search has the effect "read". Name the page of the provider that says so in "effectSource".',
    ])
    expect(await operationProblems(withSearch({ effectSource: 'https://docs.example/search' }))).toEqual([])
    expect(await operationProblems(withSearch({ effect: 'update' }))).toEqual([])
  })

  it('is none for folders without a mistake', () => {
    expect([...structureProblems(ofStarter()), ...structureProblems(ofDesk())].join('\n')).toBe('')
  })

  it.each(mistakes)('of %s names integration, place and remedy', (_, make, message) => {
    const made = make()
    const problems = structureProblems(made).join('\n')
    expect(problems).toContain(message)
    expect(problems).not.toMatch(/undefined|\[object|deeply equal/)
  })
})

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (thrown: Error) => thrown.message,
  )

/** Mistakes in an example that only its replay finds. */
const wrongExamples: [string, (file: any) => void, string][] = [
  [
    'another body',
    (file) => (file.cases[0].exchanges[0].request.body.name = 'Oats'),
    'what was sent differs from the example: requests[0].body.name is "Milk", and the example has "Oats". Correct the code or the example',
  ],
  ['a request too many', (file) => file.cases[0].exchanges.push(file.cases[0].exchanges[0]), 'requests has 1 entries'],
  [
    'another output',
    (file) => (file.cases[0].output.name = 'Oats'),
    'the output differs from the example: output.name is "Milk", and the example has "Oats".',
  ],
  [
    'an output without a field',
    (file) => delete file.cases[0].output.id,
    'output.id is "item_0001", and the example has nothing',
  ],
  [
    'a failure that does not happen',
    (file) => {
      delete file.cases[0].output
      file.cases[0].failure = { code: 'not_found' }
    },
    'the failure differs from the example: code is "none: it succeeded", and the example has "not_found".',
  ],
]

describe('the message of a replay', () => {
  it.each(wrongExamples)('of %s names the file and the field', async (_, edit, message) => {
    const made = editExample(ofStarter(), 'create-item', edit)
    const file = JSON.parse(readFileSync(exampleIn(made, 'create-item'), 'utf8')) as ExampleFile
    const said = await messageOf(replay({ ...made, integration: starter } as Subject, file, file.cases[0]!))
    expect(said).toContain(`starter: examples/create-item.json, "Creates an item": `)
    expect(said).toContain(message)
    expect(said).not.toContain('deeply equal')
  })

  it.each([
    [
      'other data',
      (file: any) => (file.cases[0].found[0].data.name = 'Rye'),
      'what it finds differs from the example: found[0].data.name is "Oats", and the example has "Rye". Correct the code or the example; if the code is right, put its values',
    ],
    [
      'another request',
      (file: any) => (file.cases[0].scan.exchanges[0].request.query.limit = 7),
      'requests[0].query.limit is 100, and the example has 7',
    ],
  ])('of a scan with %s names the file and the field', async (_, edit, message) => {
    const made = editExample(ofStarter(), 'new-item', edit)
    const file = JSON.parse(readFileSync(exampleIn(made, 'new-item'), 'utf8')) as TriggerExampleFile
    const said = await messageOf(replayTrigger({ ...made, integration: starter } as Subject, file, file.cases[0]!))
    expect(said).toContain(`starter: examples/new-item.json, "${file.cases[0]!.title}": `)
    expect(said).toContain(message)
  })

  it('of a delivery that is not decoded says why', async () => {
    const made = ofDesk()
    const file = JSON.parse(readFileSync(exampleIn(made, 'new-comment'), 'utf8')) as TriggerExampleFile
    const wrong = { ...file.cases[0]!, delivery: { headers: { 'x-desk-event': 'ping' }, body: {} } }
    expect(await messageOf(replayTrigger(made, file, wrong))).toContain(
      'issue-desk: examples/new-comment.json, "A comment": the delivery is decoded to 0 events',
    )
  })
})
