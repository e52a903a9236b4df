import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from '#kit'
import type { Integration } from '#kit'
import { stepTypes } from '../../scripts/step-types.ts'
import { createPack } from '../../shared/faces/library/index.ts'
import type { Pack, StepOutput, TriggerEvent } from '../../shared/faces/library/index.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { integrations } from '../../integrations/index.ts'
import { findIds } from '../sandbox/board-client.ts'

const caller = { tenant: 'default' }
let sandbox: Sandbox
let pack: Pack
beforeAll(async () => {
  sandbox = await startSandbox()
  pack = await createPack({ wire: sandbox.wire, egress: { ownOrigins: sandbox.places.map(({ origin }) => origin) } })
  for (const { integration, type, name, secrets } of sandbox.accounts)
    await pack.connections.create(caller, { integration, type, name, secrets })
})
afterAll(async () => {
  await pack.close()
  await sandbox.close()
})

it('types what runs: a card made, a dry run, and ids that are only known now', async () => {
  const idList = findIds(sandbox.board).list('Ideas')
  const made = await pack.steps.run(caller, {
    integration: 'work-board',
    step: 'create-card',
    input: { idList, name: 'Press kit' },
  })
  const card: StepOutput<'work-board', 'create-card'> | undefined = made.ok ? made.value : undefined
  expect(card?.name).toBe('Press kit')
  const dry = await pack.steps.run(caller, {
    integration: 'work-board',
    step: 'create-card',
    input: { idList, name: 'Press kit' },
    dryRun: true,
  })
  expect(dry).toMatchObject({ ok: true })
  expect(dry.ok && dry.value.requests.length).toBe(1)
  const [integration, step, input]: [string, string, unknown] = ['work-board', 'get-boards', { limit: 1 }]
  expect(await pack.steps.run(caller, { integration, step, input })).toMatchObject({ ok: true, value: { count: 1 } })
})

it('a wrong program does not compile, and would have failed when run', async () => {
  const card = { integration: 'work-board', step: 'create-card' } as const
  // @ts-expect-error no such field
  const field = await pack.steps.run(caller, { ...card, input: { idList: 'a', nmae: 'Press kit' } })
  // @ts-expect-error the list is missing
  const missing = await pack.steps.run(caller, { ...card, input: { name: 'Press kit' } })
  for (const outcome of [field, missing])
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'invalid_input' } })
  // @ts-expect-error no such step
  const step = await pack.steps.run(caller, { integration: 'work-board', step: 'create-crad', input: { idList: 'a' } })
  expect(step).toMatchObject({ ok: false, failure: { code: 'not_found' } })
  const newCard = { integration: 'work-board', trigger: 'new-card' } as const
  // @ts-expect-error no such field of the config
  const config = pack.subscriptions.create(caller, { ...newCard, config: { boards: ['a'], lits: [] } })
  await expect(config).rejects.toMatchObject({ code: 'invalid_input' })
  const misspelt = { integration: 'work-board', trigger: 'new-crad', config: { boards: ['a'] } } as const
  // @ts-expect-error no such trigger
  const trigger = pack.subscriptions.create(caller, misspelt)
  await expect(trigger).rejects.toMatchObject({ code: 'not_found' })
  // @ts-expect-error no such field of the event
  const none: TriggerEvent<'work-board', 'new-card'>['crad'] = undefined
  expect(none).toBeUndefined()
})

const [shipped] = integrations
const text = (description: string) => z.string().meta({ description })
const made: Integration = {
  ...shipped!,
  triggers: [],
  steps: [
    {
      id: 'greet',
      title: 'Greet',
      purpose: 'Greets */ a person.',
      effect: 'read',
      legacy: { use: 'Welcome' },
      input: z.strictObject({
        name: text('Name of the person.'),
        tone: z.enum(["it's", 'plain']).default('plain').meta({ description: 'How.' }),
        'x-mark': text('A mark.').optional(),
      }),
      output: z.looseObject({
        id: z.string(),
        score: z.union([z.string(), z.number()]).optional(),
        lines: z.array(z.looseObject({ at: z.string().nullable() })),
      }),
      run: async () => ({}),
    },
  ],
}

it('writes fields with their descriptions, optional ones, choices and nested lists', () => {
  const written = stepTypes(createRegistry([made]).all)
  const [step] = /\/\*\* Greet:[\s\S]*?\n {4}\}\n/.exec(written)!
  expect(`    ${step}`).toBe(`    /** Greet: Greets *\\/ a person. @deprecated Use Welcome. */
    greet: {
      input: {
        /** Name of the person. */
        name: string
        /** How. Default: "plain". */
        tone?: 'it\\'s' | 'plain' | undefined
        /** A mark. */
        'x-mark'?: string | undefined
      }
      output: {
        id: string
        score?: string | number
        lines: Array<{
          at: string | null
          [field: string]: unknown
        }>
        [field: string]: unknown
      }
    }
`)
})
