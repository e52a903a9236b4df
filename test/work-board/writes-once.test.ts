import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ExampleFile } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { workBoard } from './fake.ts'

/** Every step that writes, by its own examples: once for one key, and not again where the answer is lost. */
const caller = { tenant: 'default' }
const folder = new URL('../../integrations/work-board/examples/', import.meta.url)
const files = readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as ExampleFile)
/** Examples that write at the board. */
const cases = workBoard.steps
  .filter(({ effect }) => effect !== 'read')
  .map((step) => {
    const example = files
      .find((file) => file.step === step.id)
      ?.cases.find((exampleCase) => exampleCase.output !== undefined)
    if (!example) throw new Error(`${step.id} has no example that works.`)
    return [step.id, example.input, step.effect, step.resumes === true] as const
  })

let sandbox: Sandbox
let pack: Pack
const open = async () => {
  pack = await createPack({
    random: () => 0,
    wire: sandbox.wire,
    egress: { privateOrigins: sandbox.places.map(({ origin }) => origin) },
  })
  for (const { integration, type, name, secrets } of sandbox.accounts)
    await pack.connections.create(caller, { integration, type, name, secrets })
}
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())
// A pack for each: how often a connection repeats is limited.
beforeEach(async () => {
  sandbox.board.control.reset()
  await open()
})
afterEach(() => pack.close())

const writes = () => sandbox.board.control.requests().filter(({ method }) => method !== 'GET')
const run = (step: string, input: Record<string, unknown>, idempotencyKey: string) =>
  pack.steps.run(caller, { integration: 'work-board', step, input, idempotencyKey })

it('holds every step that writes', () => {
  expect(cases.length).toBe(workBoard.steps.filter(({ effect }) => effect !== 'read').length)
  expect(cases.length).toBeGreaterThan(30)
})

describe('repeated under one key', () => {
  it.each(cases)('%s is done once at the board', async (step, input) => {
    const first = await run(step, input, `once-${step}`)
    expect(first.ok ? undefined : first.failure).toBeUndefined()
    const sent = writes().length
    expect(sent).toBeGreaterThan(0)
    const second = await run(step, input, `once-${step}`)
    expect(second).toMatchObject({ ok: true, value: first.ok ? first.value : undefined, meta: { cached: true } })
    expect(writes()).toHaveLength(sent)
  })
})

/** A PUT that acts each time: the effects of the steps say so, and here is which ones must. */
it('an invitation whose answer is lost is not sent again, since the person may get a second e-mail', async () => {
  sandbox.board.control.fault({ match: { method: 'PUT' }, cut: 'reset', when: 'after' })
  const [, input] = cases.find(([step]) => step === 'invite-to-board')!
  expect(await run('invite-to-board', input, 'invite')).toMatchObject({ failure: { code: 'outcome_unknown' } })
  expect(writes()).toHaveLength(1)
})

/** What becomes of each of many cards is in the tests of these steps. */
const single = cases.filter(([step, , , resumes]) => !resumes && step !== 'create-cards')

describe('an answer that is lost after the write was done', () => {
  /** The first write is carried out, and the socket breaks before any answer. */
  const lose = () => {
    for (const method of ['POST', 'PUT', 'DELETE'])
      sandbox.board.control.fault({ match: { method }, cut: 'reset', when: 'after', times: 1 })
  }

  it.each(single)(
    '%s: what would be done twice is not sent again, what can be said twice is',
    async (step, input, effect) => {
      lose()
      const outcome = await run(step, input, `lost-${step}`)
      const sent = writes()
      if (effect === 'create' || (sent[0]!.method !== 'PUT' && effect !== 'delete')) {
        expect(sent).toHaveLength(1)
        expect(outcome).toMatchObject({
          ok: false,
          failure: { code: 'outcome_unknown', message: expect.stringMatching(/check|look|may have/i) as string },
        })
      } else {
        // The same words again: the board is as it was after the first.
        expect(outcome.ok ? undefined : outcome.failure).toBeUndefined()
        expect(sent.map(({ method, path }) => [method, path])).toEqual(
          [0, 1].map(() => [sent[0]!.method, sent[0]!.path]),
        )
      }
      // Under the same key nothing more is sent, and the answer is the same.
      expect(await run(step, input, `lost-${step}`)).toMatchObject(
        outcome.ok ? { ok: true, value: outcome.value } : { ok: false, failure: { code: 'outcome_unknown' } },
      )
      expect(writes()).toHaveLength(sent.length)
    },
  )
})
